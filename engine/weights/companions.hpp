// Tensors beside a layer that its layout does not count among its parts.
#pragma once

#include <string_view>
#include <vector>

namespace headwise {

// Names behind a layer's prefix that change its result. A layer with one that its layout does not read is refused:
// leaving it out would give other numbers without a word. All other names there (causal masks such as GPT-2's
// attn.bias, position ids) are ignored.
const std::vector<std::string_view>& refused_companions();
// The one that only says what a rotary embedding turns by; it is nothing new to who knows the embedding.
inline constexpr std::string_view rotary_companion = "rotary_emb.inv_freq";

}  // namespace headwise
