// The elements of a view of any strides as a file holds them: contiguous, row-major, booleans only 0 and 1.
#pragma once

#include <cstdint>

#include "headwise/tensor.hpp"

namespace headwise {

std::uint64_t byte_count(const TensorView& tensor);

class ViewBytes {
 public:
  // Copies only where the view is not like that already. Throws Error(invalid_argument) for a view that is not given.
  explicit ViewBytes(const TensorView& tensor);
  const void* data() const noexcept { return copy_.given() ? copy_.view().data : tensor_.data; }
  std::uint64_t size() const noexcept { return size_; }

 private:
  TensorView tensor_;
  Tensor copy_;
  std::uint64_t size_;
};

}  // namespace headwise
