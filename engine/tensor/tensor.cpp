#include "headwise/tensor.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "checked.hpp"
#include "memory.hpp"
#include "out_of_memory.hpp"
#include "views.hpp"

namespace headwise {
namespace {

struct DTypeRow {
  const char* name;
  std::size_t size;
};

// In the order of the enumeration.
constexpr DTypeRow dtype_table[] = {{"f32", 4}, {"f64", 8}, {"f16", 2}, {"bf16", 2}, {"i64", 8}, {"i32", 4}, {"i16", 2},
                                    {"i8", 1},  {"u64", 8}, {"u32", 4}, {"u16", 2},  {"u8", 1},  {"bool", 1}};

constexpr DTypeRow no_dtype{"unknown", 0};

const DTypeRow& row(DType dtype) noexcept {
  const auto index = static_cast<std::size_t>(dtype);
  return index < std::size(dtype_table) ? dtype_table[index] : no_dtype;
}

std::size_t byte_count(DType dtype, const Dims& shape) {
  if (dtype_size(dtype) == 0) {
    throw Error(ErrorCode::invalid_argument, "dtype is no value of its type: " + std::to_string(int(dtype)));
  }
  const auto bytes = checked_multiply(static_cast<std::size_t>(element_count(shape)), dtype_size(dtype));
  // Rounding up to the alignment must not overflow either.
  if (!bytes || !checked_add(*bytes, huge_page)) {
    throw Error(ErrorCode::invalid_argument, "shape " + to_string(shape) + " has too many bytes");
  }
  return *bytes;
}

}  // namespace

const char* error_code_name(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::invalid_argument:
      return "invalid_argument";
    case ErrorCode::unsupported:
      return "unsupported";
    case ErrorCode::bad_file:
      return "bad_file";
    case ErrorCode::io:
      return "io";
    case ErrorCode::out_of_memory:
      return "out_of_memory";
    case ErrorCode::cancelled:
      return "cancelled";
    case ErrorCode::busy:
      return "busy";
    case ErrorCode::internal:
      break;
  }
  return "internal";
}

std::size_t dtype_size(DType dtype) noexcept {
  return row(dtype).size;
}

const char* dtype_name(DType dtype) noexcept {
  return row(dtype).name;
}

Dims::Dims(const std::int64_t* values, std::size_t count) try {
  if (count > static_cast<std::size_t>(max_rank)) {
    throw Error(ErrorCode::invalid_argument,
                "a tensor of rank " + std::to_string(count) + " exceeds the maximum of " + std::to_string(max_rank));
  }
  std::copy_n(values, count, values_.begin());
  rank_ = static_cast<int>(count);
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory to refuse a shape");
}

std::string to_string(const Dims& dims) try {
  std::string text = "[";
  for (int axis = 0; axis < dims.rank(); ++axis) text += (axis == 0 ? "" : ", ") + std::to_string(dims[axis]);
  return text + "]";
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory for the text of a shape");
}

std::int64_t element_count(const Dims& shape) try {
  std::optional<std::int64_t> count = 1;
  for (const std::int64_t size : shape) {
    if (size < 0) throw Error(ErrorCode::invalid_argument, "shape " + to_string(shape) + " has a negative size");
    if (count) count = checked_multiply(*count, size);
  }
  if (!count) throw Error(ErrorCode::invalid_argument, "shape " + to_string(shape) + " has more than 2^63 elements");
  return *count;
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory to refuse a shape");
}

Dims contiguous_strides(const Dims& shape) {
  element_count(shape);  // throws for a shape that cannot be
  Dims strides = shape;
  std::int64_t stride = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    strides[axis] = stride;
    // Only an empty tensor may have sizes whose product overflows, and its strides are never followed.
    stride = checked_multiply(stride, std::max<std::int64_t>(shape[axis], 1)).value_or(1);
  }
  return strides;
}

Tensor::Tensor(DType dtype, const Dims& shape, const Allocator& allocator) try {
  check_allocator(allocator);
  const std::size_t bytes = byte_count(dtype, shape);
  if (allocator.allocate != nullptr) {
    memory_ = {allocate_zeroed(bytes, allocator), Free{allocator, asked_size(bytes)}};
    view_ = MutableTensorView(memory_.get(), dtype, shape);
    return;
  }
  memory_.reset(allocate_zeroed(bytes));
  view_ = MutableTensorView(aligned(memory_.get(), bytes), dtype, shape);
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory for a tensor");
}

Tensor::Tensor(const Tensor& other) {
  if (!other.given()) return;
  *this = Tensor(other.dtype(), other.shape(), other.memory_.get_deleter().allocator);
  copy_to_contiguous(other.view(), view_.data);
}

Tensor::Tensor(Tensor&& other) noexcept : memory_(std::move(other.memory_)), view_(other.view_) {
  other.view_ = MutableTensorView();
}

Tensor& Tensor::operator=(Tensor other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(view_, other.view_);
  return *this;
}

std::int64_t Tensor::size() const {
  return given() ? element_count(shape()) : 0;
}

void Tensor::Free::operator()(void* memory) const noexcept {
  allocator.release != nullptr ? allocator.release(memory, bytes, allocator.user) : std::free(memory);
}

void* Tensor::checked_data(DType wanted) try {
  if (!given()) throw Error(ErrorCode::invalid_argument, "the tensor is not given");
  if (dtype() != wanted) {
    throw Error(ErrorCode::invalid_argument,
                std::string("the tensor holds ") + dtype_name(dtype()) + ", not " + dtype_name(wanted));
  }
  return view_.data;
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory to refuse a type");
}

}  // namespace headwise
