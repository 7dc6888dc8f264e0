// A tensor in a few numbers.
#pragma once

#include <cstdint>
#include <headwise/headwise.hpp>
#include <string>
#include <vector>

#include "json_output.hpp"

namespace headwise::tools {

struct Summary {
  DType dtype = DType::f32;
  Dims shape;
  std::int64_t count = 0, nan_count = 0, infinite_count = 0;
  double minimum = 0, maximum = 0, mean = 0;  // of the finite values; NaN when there are none
  std::vector<double> first;                  // the first few values

  std::int64_t nonfinite_count() const { return nan_count + infinite_count; }
};

Summary summarise(const Tensor& tensor);
// How many values are NaN or infinite; integers and booleans never are.
struct NonFinite {
  std::int64_t nan_count = 0, infinite_count = 0;

  bool any() const { return nan_count + infinite_count > 0; }
  NonFinite& operator+=(const NonFinite& more);
};
NonFinite count_nonfinite(const Tensor& tensor);

std::string to_text(const NonFinite& found);  // "2 NaN and 0 infinite values"
std::string to_text(const Summary& summary);  // "min -1.25, max 3, mean 0.5, 2 NaN"
std::string first_values(const Summary& summary);
Json to_json(const NonFinite& found);  // "nan_count", "infinite_count" and their sum
// "shape", "dtype", "min", "max", "mean", the counts and "first".
Json to_json(const Summary& summary);

}  // namespace headwise::tools
