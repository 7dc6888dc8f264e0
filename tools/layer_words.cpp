#include "layer_words.hpp"

#include <nlohmann/json.hpp>

#include "text.hpp"

namespace headwise::tools {
namespace {

const char* scaling_name(RotaryScaling scaling) {
  constexpr const char* names[] = {"none", "linear", "ntk", "yarn", "llama3"};
  return names[static_cast<std::size_t>(scaling)];
}

const char* layout_name(RotaryLayout layout) {
  return layout == RotaryLayout::half_split ? "half-split" : "interleaved";
}

const char* slopes_name(AlibiSlopes slopes) {
  return slopes == AlibiSlopes::interleaved ? "interleaved" : "geometric";
}

std::string rotary_text(const RotaryConfig& rotary) {
  std::string text = "rotary " + std::to_string(rotary.dim) + " " + layout_name(rotary.layout) + ", base " +
                     significant(rotary.base, 6);
  if (rotary.scaling == RotaryScaling::none) return text;
  return text + ", " + scaling_name(rotary.scaling) + " x" + significant(rotary.factor, 4);
}

std::string bias_text(const AttentionWeights& weights) {
  const PositionBiasConfig& bias = weights.config.position_bias;
  if (bias.kind == PositionBias::alibi) return std::string("alibi, ") + slopes_name(bias.slopes) + " slopes";
  const std::string buckets =
      weights.relative_bias.given() ? std::to_string(weights.relative_bias.shape()[0]) + " buckets, " : "";
  return "t5 bias, " + buckets + (bias.bidirectional ? "both ways" : "backward") + ", up to " +
         std::to_string(bias.max_distance);
}

Json rotary_json(const RotaryConfig& rotary) {
  if (rotary.dim == 0) return nullptr;
  return {{"dim", rotary.dim},       {"layout", layout_name(rotary.layout)},
          {"base", rotary.base},     {"scaling", scaling_name(rotary.scaling)},
          {"factor", rotary.factor}, {"original_positions", rotary.original_positions}};
}

Json bias_json(const AttentionWeights& weights) {
  const PositionBiasConfig& bias = weights.config.position_bias;
  if (bias.kind == PositionBias::none) return nullptr;
  if (bias.kind == PositionBias::alibi) {
    return {{"kind", "alibi"}, {"slopes", slopes_name(bias.slopes)}, {"alibi_max", bias.alibi_max}};
  }
  return {{"kind", "t5"}, {"bidirectional", bias.bidirectional}, {"max_distance", bias.max_distance}};
}

}  // namespace

std::string describe_layer(const LoadedLayer& loaded, const LayerOptions& options) {
  if (options.file.empty()) return "random weights";
  const std::string prefix = loaded.layer.prefix.empty() ? "" : ", " + printable(loaded.layer.prefix);
  return std::to_string(options.load.layer) + " of " + std::to_string(loaded.layer_count) + " in " +
         printable(options.file) + ": " + loaded.layer.family + prefix +
         (loaded.checked ? ", stored check passed" : "");
}

std::string describe_sizes(const AttentionConfig& config) {
  std::string text = plural(config.num_heads, "head") + " of " + std::to_string(config.head_dim);
  if (config.value_dim != config.head_dim) text += " (value " + std::to_string(config.value_dim) + ")";
  if (config.num_kv_heads != config.num_heads) text += " on " + plural(config.num_kv_heads, "key/value head");
  text += ", width " + std::to_string(config.model_dim);
  if (config.output_dim != config.model_dim) text += " to " + std::to_string(config.output_dim);
  return text + ", scale " + significant(static_cast<double>(*config.scale), 6);
}

std::vector<std::string> describe_extras(const AttentionWeights& weights) {
  const AttentionConfig& config = weights.config;
  std::vector<std::string> extras;
  if (config.rotary.dim > 0) extras.push_back(rotary_text(config.rotary));
  if (config.position_bias.kind != PositionBias::none) extras.push_back(bias_text(weights));
  if (config.softcap > 0) extras.push_back("softcap " + significant(static_cast<double>(config.softcap), 6));
  if (weights.query_norm.given()) {
    extras.push_back("norms of query and key, epsilon " + significant(static_cast<double>(config.norm_epsilon), 3));
  }
  if (weights.sinks.given()) extras.push_back("sinks");
  if (weights.bias_key.given()) extras.push_back("bias_key and bias_value");
  if (config.add_zero_attention) extras.push_back("a key of zeros");
  return extras;
}

Json config_json(const AttentionWeights& weights) {
  const AttentionConfig config = resolve(weights.config);
  return {{"model_dim", config.model_dim},
          {"num_heads", config.num_heads},
          {"num_kv_heads", config.num_kv_heads},
          {"head_dim", config.head_dim},
          {"value_dim", config.value_dim},
          {"key_input_dim", config.key_input_dim},
          {"value_input_dim", config.value_input_dim},
          {"output_dim", config.output_dim},
          {"scale", json_number(*config.scale)},
          {"softcap", json_number(config.softcap)},
          {"rotary", rotary_json(config.rotary)},
          {"position_bias", bias_json(weights)},
          {"norms", weights.query_norm.given()},
          {"norm_epsilon", json_number(config.norm_epsilon)},
          {"sinks", weights.sinks.given()},
          {"bias_key", weights.bias_key.given()},
          {"add_zero_attention", config.add_zero_attention}};
}

}  // namespace headwise::tools
