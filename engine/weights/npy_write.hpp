// What stands before the elements of a .npy file.
#pragma once

#include <string>

#include "headwise/tensor.hpp"

namespace headwise {

// Throws Error(unsupported) for a type that .npy lacks.
std::string npy_preamble(DType dtype, const Dims& shape);

}  // namespace headwise
