// Looking for layouts in the names of a file.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "headwise/weights.hpp"
#include "layouts.hpp"

namespace headwise {

// What stands before a part's name in a tensor's name: "a.b." for "a.b.w_q.weight" and "w_q.weight". nullopt when the
// tensor is not that part; a name must start after a dot, so "new_w_q.weight" is none.
std::optional<std::string_view> prefix_before(std::string_view tensor, std::string_view part);

// A prefix as users write it, with or without the dot at its end.
bool same_prefix(std::string_view found, std::string_view wanted);

}  // namespace headwise
