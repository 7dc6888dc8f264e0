// The .npy files of a layer's inputs, each in a type that the library takes.
#pragma once

#include <headwise/headwise.hpp>

#include "console.hpp"
#include "layer_options.hpp"

namespace headwise::tools {

// Not given when its option is not. Floats are brought to options.dtype (masks and gates to f32), and a note says so;
// integers of a mask become bool, nonzero is true. Throws UsageError unless the meaning of a mask is named for bool and
// integers, and for nothing else, for a list with anything but whole numbers of 0 or more, and for an array of another
// kind.
Tensor load_input(const InputFile& file, const LayerOptions& options, const Console& console);

}  // namespace headwise::tools
