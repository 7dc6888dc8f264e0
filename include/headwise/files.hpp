// Files of named tensors. WeightFile in weights.hpp reads all of them.
#pragma once

#include <map>
#include <string>

#include "headwise/tensor.hpp"

namespace headwise {

// All arrays of an .npz file by name, each as load_npy gives it. Throws what WeightFile::open and read throw.
std::map<std::string, Tensor> load_npz(const std::string& path);

}  // namespace headwise
