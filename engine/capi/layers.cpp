#include "boundary.hpp"
#include "handles.hpp"
#include "structs.hpp"

using namespace headwise::capi;

headwise_status headwise_find_layers(const headwise_file* file, headwise_layers** layers) {
  return guard([&] {
    auto& result = deref("layers", layers);
    result = new headwise_layers{headwise::find_attention_layers(deref("file", file).file)};
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
    write_struct<headwise_layer_info>(
        "info", info, {0, layer.index, layer.family.c_str(), layer.prefix.c_str(), count_of(layer.parts)});
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
