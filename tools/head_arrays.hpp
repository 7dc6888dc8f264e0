// Attention weights from an array, such as `headwise run --attention` writes, and a file of tokens.
#pragma once

#include <headwise/headwise.hpp>
#include <optional>
#include <string>
#include <vector>

#include "head_weights.hpp"

namespace headwise::tools {

// A token a line, or a JSON list of strings. Throws CommandError, also for what begins like such a list and is none.
std::vector<std::string> read_tokens(const std::string& path);

struct ArrayChoice {
  std::string title;                // of the page
  std::string name;                 // what messages call the array
  std::vector<std::string> tokens;  // none: positions stand for them
  std::int64_t sequence = 0;        // of the first axis, unless that is layers
  bool by_layer = false;            // the first axis is layers
  std::int64_t layer = 0;           // the number of the only layer
};

// `attention` is [heads, tokens, tokens], or the same for each sequence or layer; `contribution` [heads, tokens, width]
// likewise, or not given. Of a padded sequence as many rows and keys count as there are tokens. Throws UsageError.
HeadWeights head_arrays(const TensorView& attention, const TensorView& contribution, const ArrayChoice& choice);

}  // namespace headwise::tools
