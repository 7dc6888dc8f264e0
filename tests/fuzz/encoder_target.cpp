// config.json of a model folder as an encoder reads it: an object with sizes that make sense, or refused.
#include <cmath>

#include "encoder_config.hpp"
#include "json_model.hpp"
#include "target.hpp"

using namespace headwise;

namespace {

void check(const encoder::StatedConfig& stated) {
  const EncoderConfig& c = stated.config;
  require(stated.family != nullptr && c.family == stated.family->name, "the family is a known one");
  require(c.num_layers > 0 && c.num_heads > 0, "layers and heads are stated");
  for (const std::int64_t size : {c.model_dim, c.hidden_dim, c.vocabulary_size, c.max_positions}) {
    require(size >= 0, "sizes are stated or left open");
  }
  require(c.first_position >= 0, "the first position is one");
  require(stated.num_token_types.value_or(0) >= 0, "token types are counted");
  require(std::isfinite(c.layer_norm_epsilon) && c.layer_norm_epsilon > 0, "epsilon is above zero");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const InputFolder folder("config.json");
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  folder.write(text);
  accepted([&] {
    const encoder::StatedConfig stated = encoder::read_config(folder.folder().path().string());
    const auto model = parse_json(text);
    require(model && model->kind == Json::Kind::object, "only a JSON object is read");
    check(stated);
  });
  return 0;
}
