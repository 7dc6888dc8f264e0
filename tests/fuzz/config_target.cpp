// config.json beside a weight file: what is no JSON object is refused, the number of heads is the one that the strict
// model of JSON finds, and every layer of the file either loads with values that make sense or is refused.
#include <cmath>

#include "headwise/weights.hpp"
#include "json_model.hpp"
#include "target.hpp"

using namespace headwise;

namespace {

const char* const head_keys[] = {"num_attention_heads", "n_heads", "n_head", "num_heads"};

void check_heads(const Json& config, std::optional<std::int64_t> heads) {
  for (const char* key : head_keys) {
    const auto found = config.all(key);
    if (found.empty()) continue;
    require(found.size() == 1, "a repeated number of heads is refused");
    require(heads && found[0]->kind == Json::Kind::number, "the number of heads is a number");
    return require(std::to_string(*heads) == found[0]->text, "the number of heads is the one in the file");
  }
  require(!heads, "no number of heads comes from nowhere");
}

void check_layer(const AttentionConfig& config) {
  require(config.scale && std::isfinite(*config.scale), "the scale is a number");
  require(std::isfinite(config.softcap) && config.softcap >= 0, "the softcap is a number");
  require(std::isfinite(config.norm_epsilon) && config.norm_epsilon > 0, "epsilon is above zero");
  require(config.rotary.dim >= 0 && config.rotary.dim <= config.head_dim && config.rotary.dim % 2 == 0,
          "the rotary embedding turns pairs of a head");
}

// With the number of heads of the file, or one that fits where it tells none.
void load_layers(const WeightFile& file, std::int64_t heads) {
  static const auto layers = static_cast<std::int64_t>(find_attention_layers(file).size());
  require(layers >= 4, "there are layers to load");
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    LoadOptions options;
    options.layer = layer;
    options.num_heads = heads;
    accepted([&] { check_layer(load_attention(file, options).config); });
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const InputFolder folder("config.json");
  static const WeightFile file = layers_beside(folder.folder());
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  folder.write(text);
  const auto model = parse_json(text);
  const bool object = model && model->kind == Json::Kind::object;
  std::optional<std::int64_t> heads;
  accepted([&] {
    heads = heads_from_config(file.path());
    require(object, "only a JSON object is read");
    check_heads(*model, heads);
  });
  load_layers(file, heads ? 0 : 2);
  return 0;
}
