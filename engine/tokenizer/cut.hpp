// How many tokens of a text and its pair stay.
#pragma once

#include <cstddef>
#include <utility>

namespace headwise {

// Takes tokens of the longer text first until both together have at most `room` ("longest_first" of the reference: with
// an odd room the one that was longer keeps one more where both are cut).
std::pair<std::size_t, std::size_t> cut_longest_first(std::size_t text, std::size_t pair, std::size_t room) noexcept;

}  // namespace headwise
