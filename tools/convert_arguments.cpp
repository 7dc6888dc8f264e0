// The options that give a layer back what its tensors do not say, for files without settings.
#include "convert_report.hpp"
#include "text.hpp"

namespace headwise::tools {
namespace {

constexpr RotaryConfig plain_rotary;
constexpr PositionBiasConfig plain_bias;

template <class Number>
std::string unless(Number usual, const char* option, Number value) {
  return value == usual ? "" : std::string(" ") + option + " " + shortest(value);
}

std::string score_arguments(const AttentionConfig& config, bool is_t5) {
  const float usual_scale = is_t5 ? 1.0F : *resolve({.num_heads = 1, .head_dim = config.head_dim}).scale;
  std::string text = unless(usual_scale, "--scale", *config.scale) + unless(0.0F, "--softcap", config.softcap) +
                     unless(AttentionConfig{}.norm_epsilon, "--norm-epsilon", config.norm_epsilon);
  if (config.add_zero_attention) text += " --add-zero-attention";
  if (config.rows_without_keys == RowsWithoutKeys::mean) text += " --rows-without-keys mean";
  if (config.rows_without_keys == RowsWithoutKeys::nan) text += " --rows-without-keys nan";
  return text;
}

// The numbers of other kinds of scaling say nothing, and their options are refused.
std::string scaling_arguments(const RotaryConfig& rotary) {
  constexpr const char* words[] = {"none", "linear", "ntk", "yarn", "llama3"};
  if (rotary.scaling == RotaryScaling::none) return "";
  std::string text = std::string(" --rotary-scaling ") + words[static_cast<int>(rotary.scaling)] +
                     unless(plain_rotary.factor, "--rotary-factor", rotary.factor);
  const bool yarn = rotary.scaling == RotaryScaling::yarn, llama3 = rotary.scaling == RotaryScaling::llama3;
  if (yarn || llama3) text += " --rotary-original-positions " + std::to_string(rotary.original_positions);
  if (yarn) {
    return text + unless(plain_rotary.beta_fast, "--rotary-beta-fast", rotary.beta_fast) +
           unless(plain_rotary.beta_slow, "--rotary-beta-slow", rotary.beta_slow) +
           unless(plain_rotary.attention_factor, "--rotary-attention-factor", rotary.attention_factor);
  }
  if (!llama3) return text;
  return text +
         unless(plain_rotary.low_frequency_factor, "--rotary-low-frequency-factor", rotary.low_frequency_factor) +
         unless(plain_rotary.high_frequency_factor, "--rotary-high-frequency-factor", rotary.high_frequency_factor);
}

std::string rotary_arguments(const RotaryConfig& rotary) {
  if (rotary.dim == 0) return "";
  std::string text = " --rotary-dim " + std::to_string(rotary.dim);
  if (rotary.layout == RotaryLayout::interleaved) text += " --rotary-layout interleaved";
  return text + unless(plain_rotary.base, "--rotary-base", rotary.base) + scaling_arguments(rotary);
}

std::string alibi_arguments(const PositionBiasConfig& bias) {
  std::string text = " --position-bias alibi";
  if (bias.slopes == AlibiSlopes::geometric) text += " --alibi-slopes geometric";
  return text + unless(plain_bias.alibi_max, "--alibi-max", bias.alibi_max);
}

std::string t5_arguments(const PositionBiasConfig& bias) {
  std::string text = " --position-bias t5";
  if (!bias.bidirectional) text += " --t5-backward";
  if (bias.max_distance == plain_bias.max_distance) return text;
  return text + " --t5-max-distance " + std::to_string(bias.max_distance);
}

std::string bias_arguments(const PositionBiasConfig& bias, bool is_t5) {
  if (bias.kind == PositionBias::alibi) return alibi_arguments(bias);
  if (bias.kind == PositionBias::t5) return t5_arguments(bias);
  return is_t5 ? " --position-bias none" : "";
}

}  // namespace

std::string load_arguments(const ConvertedLayer& layer) {
  const AttentionConfig config = resolve(layer.weights.config);
  const bool is_t5 = layer.stored.family == "t5";
  return "--no-model-config --family " + layer.stored.family + " --heads " + std::to_string(config.num_heads) +
         score_arguments(config, is_t5) + rotary_arguments(config.rotary) + bias_arguments(config.position_bias, is_t5);
}

}  // namespace headwise::tools
