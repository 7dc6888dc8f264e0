// Elements of any type as numbers, with conversions of its own: nothing here comes from the library.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>

#include "headwise/tensor.hpp"

namespace differential {

using headwise::Dims;
using headwise::DType;
using headwise::MutableTensorView;
using headwise::TensorView;

// The number that a type keeps of `value`: nearest, ties to even; integers must be whole already.
double rounded(double value, DType dtype);
// Half of the distance between neighbours of `value` in a floating type.
double half_ulp(double value, DType dtype);
// The largest finite number of a floating type.
double largest(DType dtype);

double load(const void* at, DType dtype);
void store(void* at, DType dtype, double value);

double number_at(const TensorView& view, std::initializer_list<std::int64_t> index);
std::int64_t integer_at(const TensorView& view, std::initializer_list<std::int64_t> index);
void* address(const TensorView& view, const std::int64_t* index);

// Calls use(address, index) for every element in row-major order; index has one number an axis.
void for_each_element(const TensorView& view, const std::function<void(void*, const std::int64_t*)>& use);

bool is_float(DType dtype);

}  // namespace differential
