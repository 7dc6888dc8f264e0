// A map of names: what is no JSON object is refused, and what a layer is loaded by has names, sizes and numbers of
// heads that fit together.

#include "headwise/weights.hpp"
#include "json_model.hpp"
#include "target.hpp"

using namespace headwise;

namespace {

void check(const AttentionWeights& weights) {
  const AttentionConfig& config = weights.config;
  require(config.num_heads > 0 && config.num_kv_heads > 0 && config.num_heads % config.num_kv_heads == 0,
          "heads share key/value heads evenly");
  require(weights.query_weight.shape() == Dims{config.num_heads * config.head_dim, config.model_dim},
          "the query matrix is of the size that the config says");
  require(weights.value_weight.shape()[0] == config.num_kv_heads * config.value_dim,
          "the value matrix is of the size that the config says");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const InputFolder folder("map.json");
  static const WeightFile file = layers_beside(folder.folder());
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  folder.write(text);
  const auto model = parse_json(text);
  const bool object = model && model->kind == Json::Kind::object;
  for (const std::int64_t heads : {0, 2}) {
    LoadOptions options;
    options.num_heads = heads;
    options.name_map = folder.input();
    accepted([&] {
      const AttentionWeights weights = load_attention(file, options);
      require(object, "only a JSON object is read");
      check(weights);
    });
  }
  return 0;
}
