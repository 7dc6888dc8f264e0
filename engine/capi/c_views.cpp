#include "c_views.hpp"

#include <algorithm>

#include "structs.hpp"

namespace headwise::capi {
namespace {

// Says which tensor has a size that no tensor can have.
Dims row_major(const char* name, const Dims& shape) {
  try {
    return contiguous_strides(shape);
  } catch (const Error& error) {
    refuse(name, std::string("cannot be: ") + error.what());
  }
}

template <class View, class CView>
View read(const char* name, const CView* view) {
  if (view == nullptr) return {};
  const Dims shape = read_shape(name, view->rank, view->shape);
  const DType dtype = read_dtype(name, view->dtype);
  return {view->data, dtype, shape,
          view->strides == nullptr ? row_major(name, shape) : read_shape(name, view->rank, view->strides)};
}

template <class CView, class View>
CView write(const View& view) noexcept {
  CView result{};
  if (!view.given) return result;
  result.data = view.data;
  result.dtype = static_cast<headwise_dtype>(view.dtype);
  result.rank = view.shape.rank();
  std::copy(view.shape.begin(), view.shape.end(), result.shape);
  return result;
}

}  // namespace

static_assert(HEADWISE_BOOL == static_cast<int>(DType::boolean) && HEADWISE_MAX_RANK == max_rank);

DType read_dtype(const char* name, headwise_dtype dtype) {
  if (dtype >= HEADWISE_F32 && dtype <= HEADWISE_BOOL) return static_cast<DType>(dtype);
  refuse(name, "has a dtype that is none: " + std::to_string(dtype));
}

Dims read_shape(const char* name, std::int32_t rank, const std::int64_t* shape) {
  if (rank < 0 || rank > max_rank) {
    refuse(name, "has rank " + std::to_string(rank) + "; expected 0 to " + std::to_string(max_rank));
  }
  if (rank == 0) return {};
  return {&deref(name, shape), static_cast<std::size_t>(rank)};
}

TensorView read_view(const char* name, const headwise_view* view) {
  return read<TensorView>(name, view);
}
MutableTensorView read_view(const char* name, const headwise_mutable_view* view) {
  return read<MutableTensorView>(name, view);
}

headwise_view c_view(const TensorView& view) noexcept {
  return write<headwise_view>(view);
}
headwise_mutable_view c_view(const MutableTensorView& view) noexcept {
  return write<headwise_mutable_view>(view);
}

}  // namespace headwise::capi
