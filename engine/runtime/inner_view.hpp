// The part of a view that two leading indices choose.
#pragma once

#include <type_traits>

#include "headwise/tensor.hpp"

namespace headwise::runtime {

// A row of [B, L, width], or a head of [B, H, L, size]. f32 only.
template <class View>
View inner_view(const View& view, std::int64_t first, std::int64_t second) {
  using Byte = std::conditional_t<std::is_const_v<std::remove_pointer_t<decltype(view.data)>>, const char, char>;
  const std::int64_t at = first * view.strides[0] + second * view.strides[1];
  const auto rest = static_cast<std::size_t>(view.shape.rank() - 2);
  return View(static_cast<Byte*>(view.data) + at * std::int64_t{sizeof(float)}, DType::f32,
              Dims(view.shape.begin() + 2, rest), Dims(view.strides.begin() + 2, rest));
}

}  // namespace headwise::runtime
