// Single elements and strided rows of any dtype. Nothing here allocates or throws; the caller has checked the memory.
#pragma once

#include <cstdint>

#include "attend.hpp"
#include "headwise/tensor.hpp"
#include "numbers.hpp"

namespace headwise::runtime {

bool is_half(DType dtype) noexcept;        // f16 or bf16
bool is_float_type(DType dtype) noexcept;  // f32, f64, f16 or bf16

kernels::Element element_of(DType dtype) noexcept;  // of a type that one of the two above holds, or an id
std::int64_t element_bytes(kernels::Element element) noexcept;

// A row of `count` elements that starts `at` elements behind the view's first and walks by `stride`.
struct RowOf {
  std::int64_t at = 0, stride = 1, count = 0;
};
// To and from adjacent numbers of the type that the call computes in: float, or double for an f64 call.
void load_row(const TensorView& view, const RowOf& row, kernels::Element to_element, void* to) noexcept;
void store_row(const void* from, kernels::Element from_element, const MutableTensorView& view,
               const RowOf& row) noexcept;
void fill_row(const MutableTensorView& view, const RowOf& row, double value) noexcept;

}  // namespace headwise::runtime
