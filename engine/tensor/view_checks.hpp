// What every room asks of views that callers hand in, in the same words everywhere. All of these throw
// Error(invalid_argument) whose message starts with the argument's name.
#pragma once

#include <initializer_list>
#include <string>

#include "headwise/tensor.hpp"

namespace headwise {

[[noreturn]] void refuse(const std::string& name, const std::string& problem);

inline constexpr std::initializer_list<DType> float_types = {DType::f32, DType::f16, DType::bf16, DType::f64};
inline constexpr std::initializer_list<DType> id_types = {DType::i32, DType::i64};
inline constexpr std::initializer_list<DType> all_types = {
    DType::f32, DType::f64, DType::f16, DType::bf16, DType::i64, DType::i32,    DType::i16,
    DType::i8,  DType::u64, DType::u32, DType::u16,  DType::u8,  DType::boolean};

// Given, of one of the types, with a possible shape, aligned memory and strides that stay inside the address space.
void require_readable(const char* name, const TensorView& view, std::initializer_list<DType> types);
// Readable, and no two elements share memory.
void require_writable(const char* name, const MutableTensorView& view, std::initializer_list<DType> types);
void require_shape(const char* name, const TensorView& view, const Dims& expected);

// True when an element of one shares a byte with an element of the other. Exact for the layouts that slices and
// transpositions of one tensor make; a contrived pair of strides may count as overlapping when it is not.
// Both views have passed require_readable.
bool views_overlap(const TensorView& a, const TensorView& b) noexcept;
void require_apart(const char* name, const TensorView& view, const char* other_name, const TensorView& other);

// True when both name the same elements in the same order.
bool same_elements(const TensorView& a, const TensorView& b) noexcept;

}  // namespace headwise
