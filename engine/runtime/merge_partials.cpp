#include <cmath>
#include <limits>
#include <string>

#include "float_mode.hpp"
#include "headwise/attention.hpp"
#include "numbers.hpp"
#include "out_of_memory.hpp"
#include "view_checks.hpp"
#include "views.hpp"

namespace headwise {
namespace {

constexpr double no_key = -std::numeric_limits<double>::infinity();
constexpr double no_share = -1;  // of a slice without a key
constexpr std::initializer_list<DType> exponent_types = {DType::f32, DType::f64};

std::string slice_name(std::size_t slice, const char* part) {
  return "slices[" + std::to_string(slice) + "]." + part;
}

Dims without_last_axis(const Dims& shape) {
  return Dims(shape.begin(), static_cast<std::size_t>(shape.rank() - 1));
}

void check_outputs(const MutableTensorView& context, const MutableTensorView& log_sum_exp) {
  require_writable("context", context, float_types);
  if (context.shape.rank() == 0) refuse("context", "has no axis; expected […, dv]");
  if (!log_sum_exp.given) return;
  require_writable("log_sum_exp", log_sum_exp, exponent_types);
  require_shape("log_sum_exp", log_sum_exp, without_last_axis(context.shape));
  require_apart("log_sum_exp", log_sum_exp, "context", context);
}

void check_part(const char* name, const TensorView& part, const MutableTensorView& context,
                const MutableTensorView& log_sum_exp) {
  require_apart("context", context, name, part);
  if (log_sum_exp.given) require_apart("log_sum_exp", log_sum_exp, name, part);
}

void check_slice(const PartialAttention& slice, std::size_t number, const MutableTensorView& context,
                 const MutableTensorView& log_sum_exp) {
  const std::string context_name = slice_name(number, "context"), sum_name = slice_name(number, "log_sum_exp");
  require_readable(context_name.c_str(), slice.context, float_types);
  require_shape(context_name.c_str(), slice.context, context.shape);
  require_readable(sum_name.c_str(), slice.log_sum_exp, exponent_types);
  require_shape(sum_name.c_str(), slice.log_sum_exp, without_last_axis(context.shape));
  check_part(context_name.c_str(), slice.context, context, log_sum_exp);
  check_part(sum_name.c_str(), slice.log_sum_exp, context, log_sum_exp);
}

// Shares of the slices in one row, and the log-sum-exp over all of them. A NaN log-sum-exp makes all of it NaN.
double find_shares(const std::vector<PartialAttention>& slices, const Dims& row, double* shares) noexcept {
  double top = no_key, sum = 0;
  for (std::size_t s = 0; s < slices.size(); ++s) {
    const TensorView& exponent = slices[s].log_sum_exp;
    shares[s] = float_at(exponent, element_offset(exponent, row));
    if (shares[s] > top) top = shares[s];
  }
  for (std::size_t s = 0; s < slices.size(); ++s) {
    shares[s] = shares[s] == no_key ? no_share : std::exp(shares[s] - top);
    if (shares[s] != no_share) sum += shares[s];
  }
  if (sum == 0) return no_key;
  for (std::size_t s = 0; s < slices.size(); ++s) {
    if (shares[s] != no_share) shares[s] /= sum;
  }
  return top + std::log(sum);
}

// The context of a slice without a key is not read: it may hold anything. One whose share underflowed is, so that its
// NaN arrives as in a run over all keys.
void merge_row(const std::vector<PartialAttention>& slices, const double* shares, const Dims& row,
               const MutableTensorView& context) noexcept {
  Dims index = row;
  const int last = row.rank() - 1;
  for (; index[last] < context.shape[last]; ++index[last]) {
    double sum = 0;
    for (std::size_t s = 0; s < slices.size(); ++s) {
      const TensorView& part = slices[s].context;
      if (shares[s] != no_share) sum += shares[s] * float_at(part, element_offset(part, index));
    }
    store_float(context, element_offset(context, index), sum);
  }
}

}  // namespace

void merge_partials(const std::vector<PartialAttention>& slices, const MutableTensorView& context,
                    const MutableTensorView& log_sum_exp) try {
  const FloatMode mode;
  check_outputs(context, log_sum_exp);
  if (slices.empty()) refuse("slices", "is empty; expected at least one slice");
  for (std::size_t s = 0; s < slices.size(); ++s) check_slice(slices[s], s, context, log_sum_exp);
  if (element_count(context.shape) == 0 && !log_sum_exp.given) return;
  Tensor shares(DType::f64, {static_cast<std::int64_t>(slices.size())});
  Dims rows = context.shape;
  rows[rows.rank() - 1] = 1;
  for_each_index(rows, [&](const Dims& row) {
    const double merged = find_shares(slices, row, shares.data<double>());
    merge_row(slices, shares.data<double>(), row, context);
    if (log_sum_exp.given) store_float(log_sum_exp, element_offset(log_sum_exp, row), merged);
  });
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory to merge");
}

}  // namespace headwise
