// The .npy files of a layer's inputs, each in a type that the library takes. `role` is the option without its dashes.
#pragma once

#include <headwise/headwise.hpp>
#include <string>

#include "console.hpp"

namespace headwise::tools {

// For each of them a path of "" gives a tensor that is not given.

// f32; f64 and f16 are converted, and a note says so. Throws CommandError for every other type.
Tensor load_floats(const std::string& role, const std::string& path, const Console& console);
// bool or f32. Integers become bool, nonzero is true. Throws UsageError unless the meaning is named for bool and
// integers, and for nothing else.
Tensor load_mask(const std::string& role, const std::string& path, BooleanMask meaning, const Console& console);
// i32 or i64, from a file or from a list such as "3,5,2". Throws UsageError for a list with anything but whole numbers
// of 0 or more, CommandError for a file of another kind.
Tensor load_lengths(const std::string& role, const std::string& text);

}  // namespace headwise::tools
