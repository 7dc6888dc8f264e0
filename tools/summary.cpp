#include "summary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "text.hpp"

namespace headwise::tools {
namespace {

constexpr std::int64_t first_count = 6;

bool is_integer(DType dtype) {
  return dtype != DType::f64 && dtype != DType::f32 && dtype != DType::f16 && dtype != DType::bf16;
}

template <class T>
NonFinite count_in(const T* data, std::int64_t count) {
  NonFinite found;
  for (std::int64_t i = 0; i < count; ++i) {
    found.nan_count += std::isnan(data[i]);
    found.infinite_count += std::isinf(data[i]);
  }
  return found;
}

template <class T>
void measure(const T* data, Summary& summary) {
  double sum = 0, minimum = std::numeric_limits<double>::infinity(), maximum = -minimum;
  for (std::int64_t i = 0; i < summary.count; ++i) {
    const auto value = static_cast<double>(data[i]);
    if (!std::isfinite(value)) continue;
    sum += value;
    minimum = std::min(minimum, value);
    maximum = std::max(maximum, value);
  }
  const std::int64_t finite = summary.count - summary.nonfinite_count();
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  summary.minimum = finite > 0 ? minimum : nothing;
  summary.maximum = finite > 0 ? maximum : nothing;
  summary.mean = finite > 0 ? sum / static_cast<double>(finite) : nothing;
  summary.first.assign(data, data + std::min(summary.count, first_count));
}

// f32 and f64 are measured where they are: the outputs of large runs are f32, and a copy would double the memory.
template <class Visit>
auto with_floats(const Tensor& tensor, Visit visit) {
  if (tensor.dtype() == DType::f32) return visit(tensor.data<float>());
  if (tensor.dtype() == DType::f64) return visit(tensor.data<double>());
  const Tensor wide = convert(tensor, DType::f64);
  return visit(wide.data<double>());
}

// A value of the tensor with the digits that its type needs.
Json value_json(const Summary& summary, double value) {
  const bool narrow = summary.dtype != DType::f64 && !is_integer(summary.dtype);
  return narrow ? json_number(static_cast<float>(value)) : json_number(value);
}

Json first_json(const Summary& summary) {
  Json array = Json::array();
  for (const double value : summary.first) array.push_back(value_json(summary, value));
  return array;
}

}  // namespace

NonFinite& NonFinite::operator+=(const NonFinite& more) {
  nan_count += more.nan_count;
  infinite_count += more.infinite_count;
  return *this;
}

NonFinite count_nonfinite(const Tensor& tensor) {
  if (is_integer(tensor.dtype())) return {};
  return with_floats(tensor, [&](const auto* data) { return count_in(data, tensor.size()); });
}

Summary summarise(const Tensor& tensor) {
  Summary summary;
  summary.dtype = tensor.dtype();
  summary.shape = tensor.shape();
  summary.count = tensor.size();
  const NonFinite found = count_nonfinite(tensor);
  summary.nan_count = found.nan_count;
  summary.infinite_count = found.infinite_count;
  with_floats(tensor, [&](const auto* data) { measure(data, summary); });
  return summary;
}

std::string to_text(const NonFinite& found) {
  return std::to_string(found.nan_count) + " NaN and " + std::to_string(found.infinite_count) + " infinite values";
}

std::string to_text(const Summary& summary) {
  std::string text = "min " + significant(summary.minimum, 6) + ", max " + significant(summary.maximum, 6) + ", mean " +
                     significant(summary.mean, 6);
  if (summary.nan_count > 0) text += ", " + std::to_string(summary.nan_count) + " NaN";
  if (summary.infinite_count > 0) text += ", " + std::to_string(summary.infinite_count) + " infinite";
  return text;
}

std::string first_values(const Summary& summary) {
  std::string text;
  for (const double value : summary.first) text += (text.empty() ? "" : " ") + significant(value, 6);
  return text + (summary.count > first_count ? " …" : "");
}

Json to_json(const NonFinite& found) {
  return {{"nan_count", found.nan_count},
          {"infinite_count", found.infinite_count},
          {"nonfinite_count", found.nan_count + found.infinite_count}};
}

Json to_json(const Summary& summary) {
  return {{"shape", json_shape(summary.shape)},
          {"dtype", dtype_name(summary.dtype)},
          {"min", value_json(summary, summary.minimum)},
          {"max", value_json(summary, summary.maximum)},
          {"mean", json_number(summary.mean)},
          {"nan_count", summary.nan_count},
          {"infinite_count", summary.infinite_count},
          {"nonfinite_count", summary.nonfinite_count()},
          {"first", first_json(summary)}};
}

}  // namespace headwise::tools
