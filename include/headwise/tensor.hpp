// Tensors: plain data with a type, a shape and strides. Views never own; Tensor owns 64-byte aligned memory.
// Shapes and strides are int64 and count elements, never bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>

#include "headwise/error.hpp"
#include "headwise/memory.hpp"

namespace headwise {

enum class DType : std::uint8_t { f32, f64, f16, bf16, i64, i32, i16, i8, u64, u32, u16, u8, boolean };

HEADWISE_API std::size_t dtype_size(DType dtype) noexcept;  // bytes of one element; 0 for no value of DType
HEADWISE_API const char* dtype_name(DType dtype) noexcept;  // "f32", "bool", …
template <class T>
constexpr DType dtype_of() noexcept;  // dtype_of<float>() == DType::f32

inline constexpr int max_rank = 8;

// Up to max_rank int64 numbers; a value type that never allocates, used for shapes and strides.
class HEADWISE_API Dims {
 public:
  constexpr Dims() noexcept = default;
  // Throws Error(invalid_argument) when there are more than max_rank values.
  Dims(std::initializer_list<std::int64_t> values) : Dims(values.begin(), values.size()) {}
  Dims(const std::int64_t* values, std::size_t count);

  int rank() const noexcept { return rank_; }
  std::int64_t operator[](int axis) const noexcept { return values_[static_cast<std::size_t>(axis)]; }
  std::int64_t& operator[](int axis) noexcept { return values_[static_cast<std::size_t>(axis)]; }
  const std::int64_t* begin() const noexcept { return values_.data(); }
  const std::int64_t* end() const noexcept { return values_.data() + rank_; }
  friend bool operator==(const Dims& a, const Dims& b) noexcept = default;

 private:
  std::array<std::int64_t, max_rank> values_{};
  int rank_ = 0;
};

HEADWISE_API std::string to_string(const Dims& dims);  // "[2, 10, 64]"

// The number of elements of a shape. Throws Error(invalid_argument) on a negative size or an int64 overflow.
HEADWISE_API std::int64_t element_count(const Dims& shape);
// Row-major strides of a shape: the last axis has stride 1.
HEADWISE_API Dims contiguous_strides(const Dims& shape);

// A view on somebody else's memory, which must stay valid while the view is used. Strides may be 0 (one element
// shared by an axis) or negative. A default-constructed view means "not given".
template <class Void>
struct BasicTensorView {
  Void* data = nullptr;
  DType dtype = DType::f32;
  Dims shape;
  Dims strides;
  bool given = false;

  BasicTensorView() noexcept = default;
  BasicTensorView(Void* data_, DType dtype_, const Dims& shape_, const Dims& strides_) noexcept
      : data(data_), dtype(dtype_), shape(shape_), strides(strides_), given(true) {}
  BasicTensorView(Void* data_, DType dtype_, const Dims& shape_)
      : BasicTensorView(data_, dtype_, shape_, contiguous_strides(shape_)) {}
  // A mutable view is readable too.
  template <class Other>
  requires std::is_convertible_v<Other*, Void*> BasicTensorView(const BasicTensorView<Other>& other)
  noexcept : data(other.data), dtype(other.dtype), shape(other.shape), strides(other.strides), given(other.given) {}
};

using TensorView = BasicTensorView<const void>;
using MutableTensorView = BasicTensorView<void>;

// An owning, contiguous, zero-initialised tensor in 64-byte aligned memory. Moves are cheap, copies are deep.
// Throws Error(out_of_memory) or Error(invalid_argument). Reading from several threads is safe, writing is not.
class HEADWISE_API Tensor {
 public:
  Tensor() noexcept = default;  // not given
  explicit Tensor(const Dims& shape) : Tensor(DType::f32, shape) {}
  // Copies take their memory from the same allocator.
  Tensor(DType dtype, const Dims& shape, const Allocator& allocator = {});
  Tensor(const Tensor& other);
  Tensor(Tensor&& other) noexcept;
  Tensor& operator=(Tensor other) noexcept;
  ~Tensor() = default;

  bool given() const noexcept { return view_.given; }
  DType dtype() const noexcept { return view_.dtype; }
  const Dims& shape() const noexcept { return view_.shape; }
  std::int64_t size() const;  // elements
  // Throws Error(invalid_argument) when T is not the tensor's type.
  template <class T = float>
  T* data() {
    return static_cast<T*>(checked_data(dtype_of<T>()));
  }
  template <class T = float>
  const T* data() const {
    return static_cast<const T*>(const_cast<Tensor*>(this)->checked_data(dtype_of<T>()));
  }
  TensorView view() const noexcept { return view_; }
  MutableTensorView mutable_view() noexcept { return view_; }
  operator TensorView() const noexcept { return view_; }
  operator MutableTensorView() noexcept { return view_; }

 private:
  struct Free {
    Allocator allocator;
    std::size_t bytes;
    void operator()(void* memory) const noexcept;
  };
  void* checked_data(DType wanted);

  std::unique_ptr<void, Free> memory_;
  MutableTensorView view_;
};

// Reads a .npy file (format 1.0 to 3.0, C or Fortran order) into a contiguous tensor of the file's own type: f2, f4,
// f8, signed and unsigned integers, bool; little or big endian. Throws Error(io) or Error(bad_file); object, complex
// and structured arrays are refused, and no pickle is ever interpreted.
HEADWISE_API Tensor load_npy(const std::string& path);
// Writes format 1.0, C order, any strides, as save_safetensors (files.hpp) writes: the file gets its name when it is
// whole. bf16 has no .npy type and is refused.
HEADWISE_API void save_npy(const std::string& path, const TensorView& tensor);
// A contiguous copy of any view in another type. Floats round to nearest even; NaN stays NaN. A conversion from a
// floating type to an integer or to bool is refused with Error(unsupported): it would lose the fraction silently. An
// integer that the wanted integer type cannot hold is Error(invalid_argument). Any nonzero number or byte is true.
HEADWISE_API Tensor convert(const TensorView& tensor, DType dtype);

template <>
constexpr DType dtype_of<float>() noexcept {
  return DType::f32;
}
template <>
constexpr DType dtype_of<double>() noexcept {
  return DType::f64;
}
template <>
constexpr DType dtype_of<std::int64_t>() noexcept {
  return DType::i64;
}
template <>
constexpr DType dtype_of<std::int32_t>() noexcept {
  return DType::i32;
}
template <>
constexpr DType dtype_of<std::int16_t>() noexcept {
  return DType::i16;
}
template <>
constexpr DType dtype_of<std::int8_t>() noexcept {
  return DType::i8;
}
template <>
constexpr DType dtype_of<std::uint64_t>() noexcept {
  return DType::u64;
}
template <>
constexpr DType dtype_of<std::uint32_t>() noexcept {
  return DType::u32;
}
template <>
constexpr DType dtype_of<std::uint16_t>() noexcept {
  return DType::u16;
}
template <>
constexpr DType dtype_of<std::uint8_t>() noexcept {
  return DType::u8;
}
template <>
constexpr DType dtype_of<bool>() noexcept {
  return DType::boolean;
}

}  // namespace headwise
