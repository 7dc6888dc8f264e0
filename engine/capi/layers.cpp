#include "boundary.hpp"
#include "handles.hpp"
#include "load_options.hpp"
#include "structs.hpp"

using namespace headwise::capi;

headwise_status headwise_find_layers(const headwise_file* file, headwise_layers** layers) {
  return guard([&] {
    auto& result = deref("layers", layers);
    result = new headwise_layers{headwise::find_attention_layers(deref("file", file).file)};
  });
}

headwise_status headwise_find_layers_for(const headwise_file* file, const headwise_load_options* options,
                                         headwise_layers** layers) {
  return guard([&] {
    auto& result = deref("layers", layers);
    const headwise::WeightFile& f = deref("file", file).file;
    result = new headwise_layers{headwise::find_attention_layers(f, read_load_options(options))};
  });
}

void headwise_layers_free(headwise_layers* layers) {
  delete layers;
}

headwise_status headwise_layers_count(const headwise_layers* layers, int64_t* count) {
  return guard([&] { deref("count", count) = count_of(deref("layers", layers).layers); });
}

headwise_status headwise_layers_get(const headwise_layers* layers, int64_t index, headwise_layer_info* info) {
  return guard([&] {
    const headwise::AttentionLayer& layer = element_at("index", deref("layers", layers).layers, index);
    const auto& w = layer.widths;
    write_struct<headwise_layer_info>(
        "info", info,
        {0, layer.index, layer.family.c_str(), layer.prefix.c_str(), count_of(layer.parts), count_of(layer.candidates),
         w.model, w.query, w.key, w.value, w.output, w.num_heads});
  });
}

headwise_status headwise_layers_part(const headwise_layers* layers, int64_t index, int64_t part,
                                     headwise_layer_part* info) {
  return guard([&] {
    const headwise::AttentionLayer& layer = element_at("index", deref("layers", layers).layers, index);
    const headwise::AttentionLayer::Part& p = element_at("part", layer.parts, part);
    write_struct<headwise_layer_part>("info", info,
                                      {0, p.role.c_str(), p.tensor.c_str(), count_of(p.shape), p.shape.data()});
  });
}

headwise_status headwise_layers_candidate(const headwise_layers* layers, int64_t index, int64_t candidate,
                                          const char** family) {
  return guard([&] {
    const headwise::AttentionLayer& layer = element_at("index", deref("layers", layers).layers, index);
    deref("family", family) = element_at("candidate", layer.candidates, candidate).c_str();
  });
}
