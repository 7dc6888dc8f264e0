// Tensors of C as those of C++ and back.
#pragma once

#include "headwise/c/tensor.h"
#include "headwise/tensor.hpp"

namespace headwise::capi {

DType read_dtype(const char* name, headwise_dtype dtype);
Dims read_shape(const char* name, std::int32_t rank, const std::int64_t* shape);

// NULL: not given. What the numbers mean is checked by those who use the view.
TensorView read_view(const char* name, const headwise_view* view);
MutableTensorView read_view(const char* name, const headwise_mutable_view* view);

// Of contiguous tensors; all zero when the tensor is not given.
headwise_view c_view(const TensorView& view) noexcept;
headwise_mutable_view c_view(const MutableTensorView& view) noexcept;

}  // namespace headwise::capi
