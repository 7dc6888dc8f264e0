// BERT's cleaning of text, in the reference's order: clean, set Chinese characters apart, decompose and strip accents,
// lower case.
#pragma once

#include "characters.hpp"

namespace headwise {

struct NormalizerSettings {
  bool clean_text = true;            // control characters and U+FFFD go, white space becomes a space
  bool handle_chinese_chars = true;  // spaces around them
  bool strip_accents = true;         // decomposes, and drops nonspacing marks
  bool lowercase = true;
};

// Puts what becomes of a span behind what is in `to`; the bytes that a code point comes from stay with it. Spans of one
// text may be normalized one by one only where a token stands between them, as marks are put in order.
void normalize(const Characters& from, Span span, const NormalizerSettings& settings, Characters& to);

}  // namespace headwise
