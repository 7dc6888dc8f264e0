// Unbatched views.
#pragma once

#include <algorithm>

#include "headwise/tensor.hpp"

namespace headwise::runtime {

// A view of one axis less than `rank` counts as a batch of one.
template <class View>
View with_batch(const View& view, int rank) {
  if (!view.given || view.shape.rank() != rank - 1 || view.strides.rank() != rank - 1) return view;
  std::int64_t sizes[max_rank] = {1};
  std::int64_t steps[max_rank] = {0};
  std::copy(view.shape.begin(), view.shape.end(), sizes + 1);
  std::copy(view.strides.begin(), view.strides.end(), steps + 1);
  const auto count = static_cast<std::size_t>(rank);
  return View(view.data, view.dtype, Dims(sizes, count), Dims(steps, count));
}

}  // namespace headwise::runtime
