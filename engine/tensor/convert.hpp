// Conversion of contiguous elements between types; headwise::convert in tensor.hpp does the same for any view.
#pragma once

#include <cstddef>

#include "headwise/tensor.hpp"

namespace headwise {

// Throws Error(unsupported) for a floating type to an integer type, Error(invalid_argument) for an integer that does
// not fit. `from` needs no alignment; the two ranges must not overlap.
void convert_elements(const void* from, DType from_dtype, void* to, DType to_dtype, std::int64_t count);

// Any nonzero byte of a boolean buffer becomes 1, so that bytes from files can be read as bool.
void normalise_booleans(void* bytes, std::int64_t count) noexcept;

// Throws Error(invalid_argument) when the view is not given, has elements but no memory, or strides for another number
// of axes than it has.
void check_view(const TensorView& view, const char* purpose);

}  // namespace headwise
