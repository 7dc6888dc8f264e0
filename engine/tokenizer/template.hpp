// What stands around the tokens of a text, or of a pair: [CLS] A [SEP] B [SEP].
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "headwise/tokenizer.hpp"
#include "words.hpp"

namespace headwise {

struct TemplatePart {
  int sequence = -1;     // 0: the text, 1: its pair, −1: a token of its own
  std::int64_t id = -1;  // of that token
  std::int64_t type = 0;
};
using Template = std::vector<TemplatePart>;

struct Templates {
  Template single{{0, -1, 0}};
  Template pair{{0, -1, 0}, {1, -1, 1}};
};

std::size_t num_special(const Template& parts) noexcept;
// The parts of the template one after the other; its own tokens only where they are wanted. full_length stays 0.
Encoding put_together(const Template& parts, const std::array<const Tokens*, 2>& texts, bool special_tokens);

}  // namespace headwise
