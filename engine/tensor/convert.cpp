#include "convert.hpp"

#include <cstring>

#include "half_rows.hpp"
#include "out_of_memory.hpp"
#include "small_floats.hpp"
#include "view_checks.hpp"
#include "views.hpp"

namespace headwise {
namespace {

// Stand-ins for the types that C++ lacks or that a file's bytes must not be read as.
struct Half {
  std::uint16_t bits;
};
struct Brain {
  std::uint16_t bits;
};
struct Boolean {
  std::uint8_t byte;
};

template <class T>
inline constexpr bool is_float = std::is_floating_point_v<T>;
template <class T>
inline constexpr bool is_small_float = std::is_same_v<T, Half> || std::is_same_v<T, Brain>;

template <class T>
auto widen(T value) noexcept {
  if constexpr (std::is_same_v<T, Half>) {
    return f16_to_f32(value.bits);
  } else if constexpr (std::is_same_v<T, Brain>) {
    return bf16_to_f32(value.bits);
  } else if constexpr (std::is_same_v<T, Boolean>) {
    return static_cast<std::uint8_t>(value.byte != 0);
  } else {
    return value;
  }
}

template <class T>
std::uint64_t magnitude(T value) noexcept {
  const auto bits = static_cast<std::uint64_t>(value);
  return value < 0 ? 0 - bits : bits;
}

template <class T>
Half to_half(T value) noexcept {
  if constexpr (std::is_same_v<T, float>) return {f32_to_f16(value)};
  if constexpr (std::is_same_v<T, double>) return {f64_to_f16(value)};
  if constexpr (!is_float<T>) return {integer_to_f16(value < 0, magnitude(value))};
}

template <class T>
Brain to_brain(T value) noexcept {
  if constexpr (std::is_same_v<T, float>) return {f32_to_bf16(value)};
  if constexpr (std::is_same_v<T, double>) return {f64_to_bf16(value)};
  if constexpr (!is_float<T>) return {integer_to_bf16(value < 0, magnitude(value))};
}

template <class To, class From>
To to_integer(From value) {
  const To result = static_cast<To>(value);
  if (static_cast<From>(result) != value || (result < 0) != (value < 0)) {
    throw Error(ErrorCode::invalid_argument, "the integer " + std::to_string(value) + " does not fit the wanted type");
  }
  return result;
}

template <class To, class From>
To convert_value(From value) {
  if constexpr (std::is_same_v<To, Half>) {
    return to_half(value);
  } else if constexpr (std::is_same_v<To, Brain>) {
    return to_brain(value);
  } else if constexpr (std::is_same_v<To, Boolean>) {
    return {static_cast<std::uint8_t>(value != 0)};
  } else if constexpr (is_float<To>) {
    return static_cast<To>(value);
  } else {
    return to_integer<To>(value);
  }
}

// Elements are read with memcpy: a view's memory may be aligned to less than its type.
template <class From, class To>
void convert_array(const char* from, To* to, std::int64_t count) {
  constexpr bool from_float = is_float<From> || is_small_float<From>;
  if constexpr (from_float && !is_float<To> && !is_small_float<To>) {
    throw Error(ErrorCode::unsupported, "a floating type is not converted to an integer or to bool");
  } else {
    for (std::int64_t i = 0; i < count; ++i) {
      From value;
      std::memcpy(&value, from + i * static_cast<std::int64_t>(sizeof value), sizeof value);
      to[i] = convert_value<To>(widen(value));
    }
  }
}

// Calls use(T{}) with the C++ type of a dtype.
template <class Use>
void with_type(DType dtype, const Use& use) {
  switch (dtype) {
    case DType::f32:
      return use(float{});
    case DType::f64:
      return use(double{});
    case DType::f16:
      return use(Half{});
    case DType::bf16:
      return use(Brain{});
    case DType::i64:
      return use(std::int64_t{});
    case DType::i32:
      return use(std::int32_t{});
    case DType::i16:
      return use(std::int16_t{});
    case DType::i8:
      return use(std::int8_t{});
    case DType::u64:
      return use(std::uint64_t{});
    case DType::u32:
      return use(std::uint32_t{});
    case DType::u16:
      return use(std::uint16_t{});
    case DType::u8:
      return use(std::uint8_t{});
    case DType::boolean:
      return use(Boolean{});
  }
}

// The conversions of storage types that rows of activations, caches and weight files go through.
bool convert_halves(const void* from, DType from_dtype, void* to, DType to_dtype, std::int64_t count) noexcept {
  const auto* halves = static_cast<const std::uint16_t*>(from);
  const auto* floats = static_cast<const float*>(from);
  const bool aligned = reinterpret_cast<std::uintptr_t>(from) % dtype_size(from_dtype) == 0;
  if (!aligned || (from_dtype != DType::f32 && to_dtype != DType::f32)) return false;
  if (from_dtype == DType::f16) return widen_f16(halves, static_cast<float*>(to), count), true;
  if (from_dtype == DType::bf16) return widen_bf16(halves, static_cast<float*>(to), count), true;
  if (to_dtype == DType::f16 && from_dtype == DType::f32)
    return narrow_f16(floats, static_cast<std::uint16_t*>(to), count), true;
  if (to_dtype == DType::bf16 && from_dtype == DType::f32)
    return narrow_bf16(floats, static_cast<std::uint16_t*>(to), count), true;
  return false;
}

}  // namespace

void convert_elements(const void* from, DType from_dtype, void* to, DType to_dtype, std::int64_t count) {
  if (convert_halves(from, from_dtype, to, to_dtype, count)) return;
  with_type(from_dtype, [&](auto from_type) {
    with_type(to_dtype, [&](auto to_type) {
      using From = decltype(from_type);
      convert_array<From>(static_cast<const char*>(from), static_cast<decltype(to_type)*>(to), count);
    });
  });
}

void normalise_booleans(void* bytes, std::int64_t count) noexcept {
  auto* byte = static_cast<std::uint8_t*>(bytes);
  for (std::int64_t i = 0; i < count; ++i) byte[i] = byte[i] != 0;
}

void check_view(const TensorView& view, const char* purpose) {
  const std::string name = std::string("the tensor to ") + purpose;
  if (!view.given) throw Error(ErrorCode::invalid_argument, name + " is not given");
  if (view.strides.rank() != view.shape.rank()) {
    throw Error(ErrorCode::invalid_argument,
                name + " has strides " + to_string(view.strides) + " for shape " + to_string(view.shape));
  }
  if (dtype_size(view.dtype) == 0) refuse(name, "has a dtype that is no value of its type");
  if (view.data == nullptr && element_count(view.shape) > 0) {
    throw Error(ErrorCode::invalid_argument, name + " has no memory: its data is null");
  }
  // Copies are made byte by byte, so any alignment will do.
  if (!byte_range(view)) refuse(name, "has strides " + to_string(view.strides) + " that leave the address space");
}

Tensor convert(const TensorView& tensor, DType dtype) try {
  check_view(tensor, "convert");
  if (tensor.dtype != dtype && !is_contiguous(tensor)) return convert(convert(tensor, tensor.dtype), dtype);
  Tensor result(dtype, tensor.shape);
  void* to = result.mutable_view().data;
  if (tensor.dtype != dtype) {
    convert_elements(tensor.data, tensor.dtype, to, dtype, result.size());
    return result;
  }
  copy_to_contiguous(tensor, to);
  if (dtype == DType::boolean) normalise_booleans(to, result.size());
  return result;
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory to convert a tensor");
}

}  // namespace headwise
