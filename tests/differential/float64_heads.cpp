#include "float64_heads.hpp"

#include "elements.hpp"

namespace differential {

using namespace headwise;

namespace {

void normalise_row(Number* row, std::int64_t size, const float* norm, double epsilon, const Precision& p) {
  double squares = 0, slope = 0;
  for (std::int64_t c = 0; c < size; ++c) {
    squares += row[c].value * row[c].value;
    slope += std::fabs(row[c].value) * row[c].error + row[c].error * row[c].error;
  }
  const double mean = squares / double(size) + epsilon;
  const double relative = slope / double(size) / mean + 6 * p.eps;
  for (std::int64_t c = 0; c < size; ++c) {
    const double w = double(norm[c]) / std::sqrt(mean), value = row[c].value * w;
    row[c] = {value, std::fabs(w) * row[c].error + std::fabs(value) * relative};
  }
}

Number project_one(const Number* x, const float* w, std::int64_t count, double bias, const Precision& p) {
  double sum = 0, size = 0, error = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const double factor = double(w[i]), term = x[i].value * factor;
    sum += term;
    size += std::fabs(term);
    error += x[i].error * std::fabs(factor);
  }
  return {sum + bias, error + p.eps * (p.sums * size + std::fabs(bias))};
}

// [1, H, L, size], [B, L, size] and so on, all as [B, H, L, size].
TensorView with_four_axes(const TensorView& view) {
  const int rank = view.shape.rank();
  std::int64_t shape[4] = {1, 1, 1, 1}, strides[4] = {};
  for (int axis = 0; axis < rank; ++axis) {
    const int to = axis >= rank - 2 ? axis + 4 - rank : axis;
    shape[to] = view.shape[axis];
    strides[to] = view.strides[axis];
  }
  return TensorView(view.data, view.dtype, Dims(shape, 4), Dims(strides, 4));
}

}  // namespace

Numbers read_rows(const RowSource& source) {
  const TensorView view = with_four_axes(source.view);
  const std::int64_t batch = std::ssize(*source.sequences) - 1;
  Numbers result(batch, view.shape[1], source.longest, view.shape[3]);
  for (std::int64_t b = 0; b < batch; ++b) {
    const Sequence& s = (*source.sequences)[std::size_t(b)];
    const std::int64_t from = source.ragged ? 0 : b, first = source.ragged ? s.*source.first : 0;
    for (std::int64_t h = 0; h < view.shape[1]; ++h)
      for (std::int64_t i = 0; i < s.*source.count; ++i)
        for (std::int64_t c = 0; c < view.shape[3]; ++c) {
          result.at(b, h, i, c).value = number_at(view, {from, h, first + i, c});
        }
  }
  return result;
}

Numbers project(const Numbers& rows, const Tensor& weight, const Tensor& bias, std::int64_t heads,
                const Precision& precision) {
  const std::int64_t out = weight.shape()[0], in = weight.shape()[1], size = out / heads;
  Numbers result(rows.size(0), heads, rows.size(2), size);
  for (std::int64_t b = 0; b < rows.size(0); ++b)
    for (std::int64_t i = 0; i < rows.size(2); ++i)
      for (std::int64_t o = 0; o < out; ++o) {
        const double constant = bias.given() ? double(bias.data()[o]) : 0;
        result.at(b, o / size, i, o % size) =
            project_one(rows.row(b, 0, i), weight.data() + o * in, in, constant, precision);
      }
  return result;
}

void normalise(Numbers& heads, const Tensor& norm, double epsilon, const Precision& precision) {
  if (!norm.given()) return;
  const std::int64_t size = heads.size(3);
  for (std::size_t at = 0; at < heads.data().size(); at += std::size_t(size)) {
    normalise_row(heads.data().data() + at, size, norm.data(), epsilon, precision);
  }
}

}  // namespace differential
