// Numbers against their bounds, and results against themselves.
#include <algorithm>
#include <cstdio>

#include "elements.hpp"
#include "facts.hpp"
#include "run.hpp"

namespace differential {

using namespace headwise;

namespace {

std::string index_of(std::size_t offset, const Dims& shape) {
  std::string text;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    const auto size = std::size_t(shape[axis]);
    text = std::to_string(offset % size) + (text.empty() ? "" : ", ") + text;
    offset /= size;
  }
  return "[" + text + "]";
}

// How far an element of this type may lie from the number.
double tolerance(const Number& expected, DType dtype, const Precision& precision) {
  const double reach = std::min(std::fabs(expected.value) + expected.error, largest(dtype));
  return expected.error + half_ulp(reach, dtype) + precision.lost;
}

// 0 … 1 is right.
double share_of(double actual, const Number& expected, DType dtype, const Precision& precision, bool raw_score) {
  if (expected.error == anything) return 0;
  if (std::isnan(expected.value)) return std::isnan(actual) || (raw_score && std::isinf(actual)) ? 0 : anything;
  if (std::isinf(expected.value)) return actual == expected.value || (raw_score && std::isnan(actual)) ? 0 : anything;
  if (!is_float(dtype)) return actual == expected.value ? 0 : anything;
  const double error = std::fabs(actual - expected.value);
  if (std::isinf(actual) && std::fabs(expected.value) + expected.error >= largest(dtype)) return 0;
  return std::isnan(error) ? anything : error / tolerance(expected, dtype, precision);
}

std::string in_words(const std::string& name, std::size_t at, const Result& actual, const Number& expected,
                     double allowed) {
  char text[256];
  std::snprintf(text, sizeof text, "%s%s is %.9g; expected %.9g ± %.3g (off by %.3g)", name.c_str(),
                index_of(at, actual.shape).c_str(), actual.at(at), expected.value, allowed,
                std::fabs(actual.at(at) - expected.value));
  return text;
}

std::string compare_one(const std::string& name, const Result& actual, const std::vector<Number>& expected,
                        const Precision& precision, bool raw_score, double& share) {
  if (actual.size() != expected.size()) {
    return name + " has " + std::to_string(actual.size()) + " elements; expected " + std::to_string(expected.size());
  }
  double worst = 0;
  std::size_t where = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double one = share_of(actual.at(i), expected[i], actual.dtype, precision, raw_score);
    if (!(one > worst)) continue;
    worst = one;
    where = i;
  }
  share = std::max(share, worst);
  if (worst <= 1) return "";
  return in_words(name, where, actual, expected[where], tolerance(expected[where], actual.dtype, precision));
}

}  // namespace

std::string compare(const Call& call, const Expected& expected, const Results& actual, const Precision& precision,
                    Shares& shares) {
  if (!actual.in_place) return "memory beside the elements of an output was written";
  for (const auto& [name, numbers] : expected.outputs) {
    const bool raw = name == "scores" && call.outputs.score_stage != ScoreStage::masked;
    const Result& result = actual.outputs.at(name);
    double& share = shares[name + " " + dtype_name(result.dtype)];
    const std::string problem = compare_one(name, result, numbers, precision, raw, share);
    if (!problem.empty()) return problem;
  }
  return compare_top(call, expected.attended, actual, precision);
}

std::string compare_bits(const Results& expected, const Results& actual) {
  for (const auto& [name, result] : actual.outputs) {
    const Result& other = expected.outputs.at(name);
    if (result.bytes == other.bytes) continue;
    const std::size_t size = dtype_size(result.dtype);
    const auto differs = std::mismatch(result.bytes.begin(), result.bytes.end(), other.bytes.begin()).first;
    const std::size_t at = std::size_t(differs - result.bytes.begin()) / size;
    if (std::isnan(result.at(at)) && std::isnan(other.at(at))) continue;
    char text[160];
    std::snprintf(text, sizeof text, "%s%s has other bits: %.9g and %.9g", name.c_str(),
                  index_of(at, result.shape).c_str(), result.at(at), other.at(at));
    return text;
  }
  return "";
}

}  // namespace differential
