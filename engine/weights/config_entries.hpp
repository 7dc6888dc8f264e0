// Which keys of a config.json are kept, and the handlers that keep them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "config_json.hpp"

namespace headwise {

// What models call the number of heads, in the order in which the names are believed.
inline constexpr std::array<std::string_view, 4> head_keys{"num_attention_heads", "n_heads", "n_head", "num_heads"};

// The values of the keys that are known, however deep or long the rest is; nullopt when the text is no JSON object.
std::optional<ConfigJson::Entries> config_entries(const std::string& text);

}  // namespace headwise
