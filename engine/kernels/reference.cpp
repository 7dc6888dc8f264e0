// The reference kernel: one query at a time, double accumulation, nothing clever. The oracle of the tests and, as ISA
// "reference", a debugging aid for users. It keeps a row of scores, so its scratch grows with the number of keys.
#include <cmath>
#include <limits>

#include "attend.hpp"
#include "tables.hpp"

namespace headwise::kernels {

namespace {

constexpr double negative_infinity = -std::numeric_limits<double>::infinity();

float plane_bias(const MaskPlane& plane, std::int64_t query, std::int64_t key) noexcept {
  const std::int64_t at = query * plane.query_stride + key * plane.key_stride;
  if (plane.kind == MaskKind::additive) return static_cast<const float*>(plane.data)[at];
  const bool set = static_cast<const std::uint8_t*>(plane.data)[at] != 0;
  return set == (plane.kind == MaskKind::keep) ? 0.0F : -std::numeric_limits<float>::infinity();
}

bool is_dead(double score) noexcept {
  return score == negative_infinity;
}

// Fills scores and returns whether any key is live. A score that gets a bias is an f32 number then, as in every f32
// engine: a bias of −1e9 absorbs it.
bool score_row(const AttendTask& task, const float* query, std::int64_t row, double* scores) noexcept {
  bool any = false;
  for (std::int64_t j = 0; j < task.shape.num_keys; ++j) {
    const float bias = mask_bias(task.mask, row, j);
    scores[j] = double(bias);
    if (is_dead(scores[j])) continue;
    any = true;
    const float* key = task.key.data + j * task.key.stride;
    double dot = 0;
    for (std::int64_t c = 0; c < task.shape.head_dim; ++c) dot += double(query[c]) * double(key[c]);
    dot *= double(task.scale);
    scores[j] = bias == 0 ? dot : double(float(dot) + bias);
  }
  return any;
}

// Scores become weights; dead keys become exactly 0. Live scores that are all −inf give NaN, as −inf − (−inf) is.
void softmax(const AttendTask& task, std::int64_t row, double* scores) noexcept {
  const std::int64_t count = task.shape.num_keys;
  double maximum = negative_infinity;
  double sum = 0;
  for (std::int64_t j = 0; j < count; ++j) maximum = scores[j] > maximum ? scores[j] : maximum;
  for (std::int64_t j = 0; j < count; ++j) {
    const bool dead = is_dead(double(mask_bias(task.mask, row, j)));
    scores[j] = dead ? 0 : std::exp(scores[j] - maximum);
    sum += scores[j];
  }
  for (std::int64_t j = 0; j < count; ++j) {
    if (!is_dead(double(mask_bias(task.mask, row, j)))) scores[j] /= sum;
  }
}

void fill_empty_row(const AttendTask& task, double* weights) noexcept {
  const auto count = task.shape.num_keys;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double each = task.empty_row == EmptyRow::mean  ? 1.0 / double(count)
                      : task.empty_row == EmptyRow::nan ? nan
                                                        : 0;
  for (std::int64_t j = 0; j < count; ++j) weights[j] = each;
}

void mix_values(const AttendTask& task, std::int64_t row, const double* weights, bool live_only, float* out) noexcept {
  for (std::int64_t c = 0; c < task.shape.value_dim; ++c) {
    double sum = 0;
    for (std::int64_t j = 0; j < task.shape.num_keys; ++j) {
      if (live_only && is_dead(mask_bias(task.mask, row, j))) continue;
      sum += weights[j] * double(task.value.data[j * task.value.stride + c]);
    }
    out[c] = float(sum);
  }
}

void write_empty_row(const AttendTask& task, std::int64_t row, double* weights, float* out) noexcept {
  fill_empty_row(task, weights);
  if (task.empty_row == EmptyRow::mean) return mix_values(task, row, weights, false, out);
  const float fill = task.empty_row == EmptyRow::nan ? std::numeric_limits<float>::quiet_NaN() : 0.0F;
  for (std::int64_t c = 0; c < task.shape.value_dim; ++c) out[c] = fill;
}

void attend(const AttendTask& task) noexcept {
  auto* scores = static_cast<double*>(task.scratch);
  for (std::int64_t i = 0; i < task.num_queries; ++i) {
    const std::int64_t row = task.first_query + i;
    float* out = task.output.data + i * task.output.stride;
    if (score_row(task, task.query.data + i * task.query.stride, row, scores)) {
      softmax(task, row, scores);
      mix_values(task, row, scores, true, out);
    } else {
      write_empty_row(task, row, scores, out);
    }
    if (task.weights.data == nullptr) continue;
    float* weights = task.weights.data + i * task.weights.stride;
    for (std::int64_t j = 0; j < task.shape.num_keys; ++j) weights[j] = float(scores[j]);
  }
}

void exp_all(const float* x, float* y, std::int64_t n) noexcept {
  for (std::int64_t i = 0; i < n; ++i) y[i] = float(std::exp(double(x[i])));
}

std::size_t scratch_bytes(const HeadShape& shape) noexcept {
  return static_cast<std::size_t>(shape.num_keys + 8) * sizeof(double);
}

}  // namespace

float mask_bias(const MaskForm& mask, std::int64_t query, std::int64_t key) noexcept {
  constexpr float dead = -std::numeric_limits<float>::infinity();
  if (key >= mask.key_end || key > query + mask.causal_offset) return dead;
  float bias = 0;
  for (int p = 0; p < mask.num_planes; ++p) {
    const float more = plane_bias(mask.planes[p], query, key);
    if (more == dead || bias == dead) return dead;  // dead wins over NaN
    bias += more;
  }
  return bias;
}

const KernelTable reference_table = {"reference", "", 16, scratch_bytes, attend, exp_all, nullptr};

}  // namespace headwise::kernels
