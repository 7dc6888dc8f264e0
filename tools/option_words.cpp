#include "option_words.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "input_table.hpp"

namespace headwise::tools {
namespace {

struct Words {
  std::string_view api, option;
};

constexpr Words table[] = {
    {"LoadOptions::rotary", "--rotary-dim"},
    {"LoadOptions::scale", "--scale"},
    {"LoadOptions::family", "--family"},
    {"LoadOptions::name_map", "--map"},
    {"ModelOptions::isa", "--isa"},
    {"name_map says", "--map says"},
    {"StoredCheck::off", "--stored-check off"},
    {"num_heads was given as", "--heads is"},
    {"family was given as", "--family is"},
    {"num_heads is not given, and", "give --heads;"},
    {"config.json is not to be used", "--no-model-config leaves config.json aside"},
    {"use_model_config = false", "--no-model-config"},
    {"list_families() has them all", "'headwise inspect --families' has them all"},
    {"allow_missing_bias", "--allow-missing-bias"},
    {"keep_heads:", "--keep-heads:"},
    {"softcap is", "--softcap is"},
    {"norm_epsilon is", "--norm-epsilon is"},
    {"rotary.dim", "--rotary-dim"},
    {"rotary.base", "--rotary-base"},
    {"rotary.factor", "--rotary-factor"},
    {"rotary.original_positions", "--rotary-original-positions"},
    {"rotary.low_frequency_factor", "--rotary-low-frequency-factor"},
    {"rotary.high_frequency_factor", "--rotary-high-frequency-factor"},
    {"rotary.beta_fast", "--rotary-beta-fast"},
    {"rotary.beta_slow", "--rotary-beta-slow"},
    {"rotary.attention_factor", "--rotary-attention-factor"},
    {"position_bias of kind none", "--position-bias none"},
    {"position_bias is t5", "--position-bias is t5"},
    {"position_bias.alibi_max", "--alibi-max"},
    {"position_bias.max_distance", "--t5-max-distance"},
    {"fit max_distance", "fit --t5-max-distance"},
    {"position_ids and rotary_cos mean nothing", "--position-ids and --key-position-ids say nothing"},
    {"CausalAlignment::upper_left or CausalAlignment::lower_right, or query_offsets",
     "--causal upper-left or lower-right, or --query-offsets"}};

// Names of files and tensors may hold any words; they stand in quotes, which are no apostrophes.
std::size_t opening_quote(const std::string& message, std::size_t from) {
  std::size_t at = message.find('\'', from);
  while (at != std::string::npos && at > 0 && std::isalnum(static_cast<unsigned char>(message[at - 1])) != 0) {
    at = message.find('\'', at + 1);
  }
  return at;
}

bool is_part_of_name(char character) {
  constexpr std::string_view others = "_./'-";
  return std::isalnum(static_cast<unsigned char>(character)) != 0 || others.find(character) != std::string_view::npos;
}

void replace(std::string& message, const Words& words) {
  for (auto at = message.find(words.api); at != std::string::npos; at = message.find(words.api, at)) {
    const bool whole = at == 0 || !is_part_of_name(message[at - 1]);
    if (whole) message.replace(at, words.api.size(), words.option);
    at += whole ? words.option.size() : words.api.size();
  }
}

std::string api_name(const InputFile& file) {
  if (file.id == Input::mask) return "attention_mask";
  if (file.id == Input::key_padding) return "key_padding_mask";
  return file.id == Input::only_heads ? "heads" : file.name;
}

// "key_lengths has shape [1]; …": the message about an input begins with its name.
std::string with_option_first(const std::string& message) {
  const std::size_t end = message.find(' ');
  for (const InputFile& file : input_files()) {
    if (message.substr(0, end) == api_name(file)) return file.option() + message.substr(std::min(end, message.size()));
  }
  return message;
}

}  // namespace

std::string option_words(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::string in_option_words(const std::string& message) {
  std::string result;
  for (std::size_t at = 0; at < message.size();) {
    const std::size_t quote = std::min(opening_quote(message, at), message.size());
    std::string own = message.substr(at, quote - at);
    for (const Words& words : table) replace(own, words);
    const std::size_t closing = std::min(message.find('\'', quote + 1), message.size());
    result += own + message.substr(quote, closing + 1 - quote);
    at = closing + 1;
  }
  return with_option_first(result);
}

}  // namespace headwise::tools
