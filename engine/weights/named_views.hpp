// What the writers check of the tensors that they are given.
#pragma once

#include <string>
#include <vector>

#include "headwise/files.hpp"

namespace headwise {

// Sorted by name, byte by byte. Throws Error(invalid_argument), naming the file and the tensor, for a name twice, one
// that is no UTF-8, and a view that is not given or whose strides do not belong to its shape.
std::vector<const NamedView*> sorted_views(const std::vector<NamedView>& tensors, const std::string& path);

}  // namespace headwise
