// How the families of the BERT line name their tensors and the entries of their config.json.
#pragma once

#include <string_view>

namespace headwise::encoder {

// Names of tensors without the prefix of the whole model; those of a layer stand behind "<layers><index>.". Linear
// layers have .weight and .bias, norms too (in old files .gamma and .beta).
struct Family {
  std::string_view name;
  std::string_view model_types;                    // of config.json, separated by blanks
  std::string_view words, positions, token_types;  // tables; token_types "": the family has none
  std::string_view embedding_norm;
  std::string_view layers;
  std::string_view attention;                    // of a layer; the four that follow stand behind it
  std::string_view query, key, value, output;    // linear
  std::string_view attention_norm, output_norm;  // of a layer
  std::string_view up, down;                     // linear, of a layer
  // Entries of config.json.
  std::string_view model_dim, num_layers, hidden_dim, activation;
  bool positions_after_padding = false;  // the first token has position pad_token_id + 1
};

// nullptr when none has this model_type.
const Family* find_family(std::string_view model_type) noexcept;
// All model types, for messages: "bert, electra, …".
std::string_view known_model_types() noexcept;

}  // namespace headwise::encoder
