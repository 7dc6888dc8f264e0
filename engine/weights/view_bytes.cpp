#include "view_bytes.hpp"

#include "convert.hpp"
#include "views.hpp"

namespace headwise {

std::uint64_t byte_count(const TensorView& tensor) {
  return static_cast<std::uint64_t>(element_count(tensor.shape)) * dtype_size(tensor.dtype);
}

ViewBytes::ViewBytes(const TensorView& tensor) : tensor_(tensor) {
  check_view(tensor, "save");
  if (!is_contiguous(tensor) || tensor.dtype == DType::boolean) copy_ = convert(tensor, tensor.dtype);
  size_ = byte_count(tensor);
}

}  // namespace headwise
