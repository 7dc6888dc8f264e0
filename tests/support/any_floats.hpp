// Tensors of any floating type and layout, filled from a seed and read back as doubles.
#pragma once

#include <vector>

#include "../runtime/strided_tensor.hpp"
#include "headwise/tensor.hpp"

// Writes numbers, rounded to the type, into all elements in row-major order.
inline void write_floats(const StridedTensor& tensor, const std::vector<double>& numbers) {
  using namespace headwise;
  const TensorView view = tensor.view();
  const Tensor rounded =
      convert(TensorView(numbers.data(), DType::f64, {static_cast<std::int64_t>(numbers.size())}), view.dtype);
  const auto copy = [&](auto word) {
    const auto* from = static_cast<const decltype(word)*>(rounded.view().data);
    tensor.for_each<decltype(word)>([&](auto& element) { element = *from++; });
  };
  const std::size_t size = dtype_size(view.dtype);
  size == 8 ? copy(std::uint64_t{}) : size == 4 ? copy(std::uint32_t{}) : copy(std::uint16_t{});
}

// Of any layout that an output may have.
inline StridedTensor stored_floats(Random& random, headwise::DType dtype, const headwise::Dims& shape,
                                   const std::vector<double>& numbers) {
  StridedTensor tensor(dtype, shape, random_layout(random, false), random);
  write_floats(tensor, numbers);
  return tensor;
}

// NaN stands between the elements: bytes of ones are one in every floating type.
inline StridedTensor any_floats(Random& random, headwise::DType dtype, const headwise::Dims& shape, bool may_share) {
  StridedTensor tensor(dtype, shape, random_layout(random, may_share), random);
  float ones = 0;
  std::memset(&ones, 0xff, sizeof ones);
  tensor.fill_marks(ones);
  std::vector<double> numbers(static_cast<std::size_t>(headwise::element_count(shape)));
  for (double& number : numbers) number = random.uniform(-2, 2);
  write_floats(tensor, numbers);
  return tensor;
}

// All elements in row-major order.
inline std::vector<double> read_floats(const headwise::TensorView& view) {
  const headwise::Tensor wide = headwise::convert(view, headwise::DType::f64);
  return {wide.data<double>(), wide.data<double>() + wide.size()};
}

// The distance from 1 to the next number of a type.
inline double epsilon_of(headwise::DType dtype) {
  using headwise::DType;
  return dtype == DType::f64 ? 0x1p-52 : dtype == DType::f32 ? 0x1p-23 : dtype == DType::f16 ? 0x1p-10 : 0x1p-7;
}
