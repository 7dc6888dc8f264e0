#include "number_words.hpp"

#include <string_view>

namespace headwise {
namespace {

struct Words {
  std::string_view api, file;
};

constexpr Words of_config[] = {{"rotary.dim", "the number of rotary components"},
                               {"rotary.base", "rope_theta"},
                               {"rotary.factor", "factor"},
                               {"rotary.original_positions", "original_max_position_embeddings"},
                               {"rotary.low_frequency_factor", "low_freq_factor"},
                               {"rotary.high_frequency_factor", "high_freq_factor"},
                               {"rotary.beta_fast", "beta_fast"},
                               {"rotary.beta_slow", "beta_slow"},
                               {"rotary.attention_factor", "attention_factor"},
                               {"position_bias.alibi_max", "alibi_bias_max"},
                               {"position_bias.max_distance", "relative_attention_max_distance"},
                               {"fit max_distance", "fit relative_attention_max_distance"},
                               {"softcap is", "attn_logit_softcapping is"},
                               {"norm_epsilon is", "rms_norm_eps is"}};

constexpr Words of_settings[] = {{"rotary.", "rotary_"},
                                 {"position_bias.", ""},
                                 {"position_bias is", "\"position_bias\" is"},
                                 {"fit max_distance", "fit \"max_distance\""},
                                 {"softcap is", "\"softcap\" is"},
                                 {"norm_epsilon is", "\"norm_epsilon\" is"}};

template <std::size_t Count>
std::string replaced(std::string message, const Words (&table)[Count]) {
  for (const Words& words : table) {
    const std::size_t at = message.find(words.api);
    if (at != std::string::npos) message.replace(at, words.api.size(), words.file);
  }
  return message;
}

}  // namespace

std::string in_config_words(std::string message) {
  return replaced(std::move(message), of_config);
}

std::string in_settings_words(std::string message) {
  return replaced(std::move(message), of_settings);
}

}  // namespace headwise
