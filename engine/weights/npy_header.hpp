// The header of a .npy file: a Python dictionary literal with three known keys. It is read by a parser for exactly that
// shape of text; nothing is evaluated.
#pragma once

#include <string>
#include <string_view>

#include "headwise/tensor.hpp"

namespace headwise {

struct NpyHeader {
  DType dtype = DType::f32;
  bool big_endian = false;
  bool fortran_order = false;
  Dims shape;
};

// Throws Error(bad_file), or Error(unsupported) for object, complex and structured types and too many axes; messages
// start with `where`. Both quote characters and the L behind integers that Python 2 wrote are understood.
NpyHeader parse_npy_header(std::string_view text, const std::string& where);

// The dictionary for a little-endian array in C order. Throws Error(unsupported) for a type that .npy lacks.
std::string npy_dictionary(DType dtype, const Dims& shape);

}  // namespace headwise
