#include "template.hpp"

#include <algorithm>

namespace headwise {
namespace {

void append(std::vector<std::int64_t>& to, const std::vector<std::int64_t>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

void add_text(const Tokens& tokens, const TemplatePart& part, Encoding& to) {
  append(to.ids, tokens.ids);
  append(to.starts, tokens.starts);
  append(to.ends, tokens.ends);
  append(to.words, tokens.words);
  to.token_types.resize(to.ids.size(), part.type);
  to.sequence_ids.resize(to.ids.size(), part.sequence);
}

void add_special(const TemplatePart& part, Encoding& to) {
  to.ids.push_back(part.id);
  to.starts.push_back(0);
  to.ends.push_back(0);
  to.words.push_back(-1);
  to.token_types.push_back(part.type);
  to.sequence_ids.push_back(part.sequence);
}

}  // namespace

std::size_t num_special(const Template& parts) noexcept {
  return static_cast<std::size_t>(
      std::count_if(parts.begin(), parts.end(), [](const TemplatePart& part) { return part.sequence < 0; }));
}

Encoding put_together(const Template& parts, const std::array<const Tokens*, 2>& texts, bool special_tokens) {
  Encoding result;
  for (const TemplatePart& part : parts) {
    if (part.sequence >= 0) {
      add_text(*texts[static_cast<std::size_t>(part.sequence)], part, result);
    } else if (special_tokens) {
      add_special(part, result);
    }
  }
  return result;
}

}  // namespace headwise
