// The reference kernel: one query at a time, double accumulation, nothing clever. The oracle of the tests and, as ISA
// "reference", a debugging aid for users. It keeps a row of scores, so its scratch grows with the number of keys.
#include "reference.hpp"

#include <algorithm>

#include "tables.hpp"

namespace headwise::kernels {

namespace {

// The floats of a task, which are doubles when the task is f64.
double get(const AttendTask& task, const float* data, std::int64_t at) noexcept {
  return number_at(data, task.element == Element::f64 ? Element::f64 : Element::f32, at);
}

void put(const AttendTask& task, float* data, std::int64_t at, double value) noexcept {
  if (task.element == Element::f64) {
    reinterpret_cast<double*>(data)[at] = value;
  } else {
    data[at] = float(value);
  }
}

NumberRow key_row(const AttendTask& task, std::int64_t j) noexcept {
  const ExtraKeys& extra = task.extra;
  if (j < task.shape.num_keys) return number_row(task.key, j);
  return {extra.keys, task.element, (j - task.shape.num_keys) * extra.key_stride};
}

NumberRow value_row(const AttendTask& task, std::int64_t j) noexcept {
  const ExtraKeys& extra = task.extra;
  if (j < task.shape.num_keys) return number_row(task.value, j);
  return {extra.values, task.element, (j - task.shape.num_keys) * extra.value_stride};
}

std::int64_t num_columns(const AttendTask& task) noexcept {
  return task.shape.num_keys + task.extra.count;
}

double column_bias(const AttendTask& task, std::int64_t row, std::int64_t j) noexcept {
  return j < task.shape.num_keys ? mask_bias(task.mask, row, j) : 0;
}

bool is_dead(const AttendTask& task, std::int64_t row, std::int64_t j) noexcept {
  return column_bias(task, row, j) == negative_infinity;
}

// In an f32 task a score that gets a bias is an f32 number then, as in every f32 engine: a bias of −1e9 absorbs it. The
// sum of two finite biases stays finite there too.
double add_bias(const AttendTask& task, double score, double bias) noexcept {
  constexpr double lowest = std::numeric_limits<float>::lowest();
  if (bias == 0) return score;
  return task.element == Element::f64 ? score + bias : double(float(score) + float(bias < lowest ? lowest : bias));
}

double scaled_score(const AttendTask& task, std::int64_t i, std::int64_t j) noexcept {
  const NumberRow key = key_row(task, j);
  double dot = 0;
  for (std::int64_t c = 0; c < task.shape.head_dim; ++c)
    dot += get(task, task.query.data, i * task.query.stride + c) * key[c];
  // As the fast kernels have it, but for f64.
  return dot * (task.element == Element::f64 ? task.score.scale : double(float(task.score.scale)));
}

double capped_score(const AttendTask& task, double score) noexcept {
  const double cap = double(task.score.softcap);
  return cap == 0 ? score : cap * std::tanh(score / cap);
}

// Terms of relative position; the extra keys have no position.
double add_distance_bias(const AttendTask& task, double score, std::int64_t row, std::int64_t j) noexcept {
  if (j >= task.shape.num_keys) return score;
  const ScoreForm& form = task.score;
  const std::int64_t distance = row + form.query_offset - j;
  if (form.relative != nullptr) {
    const std::int64_t at = std::clamp(distance, -form.max_distance, form.max_distance);
    score = add_bias(task, score, get(task, form.relative, at));
  }
  return add_bias(task, score, -double(form.alibi_slope) * std::fabs(double(distance)));
}

// The score of a live key, or of any when the stage comes before the masks.
double score_at(const AttendTask& task, std::int64_t i, std::int64_t j, ScoreStage stage) noexcept {
  const std::int64_t row = task.first_query + i;
  double score = scaled_score(task, i, j);
  if (stage == ScoreStage::scaled) return score;
  score = capped_score(task, score);
  if (stage == ScoreStage::capped) return score;
  return add_bias(task, add_distance_bias(task, score, row, j), column_bias(task, row, j));
}

double masked_score(const AttendTask& task, std::int64_t i, std::int64_t j) noexcept {
  if (is_dead(task, task.first_query + i, j)) return negative_infinity;
  return score_at(task, i, j, ScoreStage::masked);
}

bool has_sink(const AttendTask& task) noexcept {
  return task.score.has_sink && double(task.score.sink) != negative_infinity;
}

struct RowSum {
  double maximum, sum;
  bool empty;
};

// Scores become weights; dead keys become exactly 0. Live scores that are all −inf give NaN, as 0/0 is, and a sum of 0.
RowSum softmax(const AttendTask& task, std::int64_t row, double* scores) noexcept {
  RowSum result = {has_sink(task) ? double(task.score.sink) : negative_infinity, 0, !has_sink(task)};
  for (std::int64_t j = 0; j < num_columns(task); ++j) {
    result.maximum = scores[j] > result.maximum ? scores[j] : result.maximum;
    result.empty = result.empty && is_dead(task, row, j);
  }
  if (result.empty) return result;
  const double shift = result.maximum == negative_infinity ? 0 : result.maximum;
  if (has_sink(task)) result.sum = std::exp(double(task.score.sink) - shift);
  for (std::int64_t j = 0; j < num_columns(task); ++j) {
    scores[j] = is_dead(task, row, j) ? 0 : std::exp(scores[j] - shift);
    result.sum += scores[j];
  }
  for (std::int64_t j = 0; j < num_columns(task); ++j) {
    if (!is_dead(task, row, j)) scores[j] /= result.sum;
  }
  return result;
}

void mix_values(const AttendTask& task, std::int64_t i, const double* weights, bool live_only) noexcept {
  for (std::int64_t c = 0; c < task.shape.value_dim; ++c) {
    double sum = 0;
    for (std::int64_t j = 0; j < num_columns(task); ++j) {
      if (live_only && is_dead(task, task.first_query + i, j)) continue;
      sum += weights[j] * value_row(task, j)[c];
    }
    put(task, task.output.data, i * task.output.stride + c, sum * double(task.gate));
  }
}

void write_empty_row(const AttendTask& task, std::int64_t i, double* weights) noexcept {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const bool mean = task.empty_row == EmptyRow::mean;
  const double fill = task.empty_row == EmptyRow::nan ? nan : 0;
  std::fill_n(weights, num_columns(task), mean ? 1 / double(num_columns(task)) : fill);
  if (mean) return mix_values(task, i, weights, false);
  for (std::int64_t c = 0; c < task.shape.value_dim; ++c) put(task, task.output.data, i * task.output.stride + c, fill);
}

void attend_row(const AttendTask& task, std::int64_t i) noexcept {
  auto* scores = static_cast<double*>(task.scratch);
  for (std::int64_t j = 0; j < num_columns(task); ++j) scores[j] = masked_score(task, i, j);
  const RowSum sum = softmax(task, task.first_query + i, scores);
  if (sum.empty) {
    write_empty_row(task, i, scores);
  } else {
    mix_values(task, i, scores, true);
  }
  if (task.log_sum_exp != nullptr)
    task.log_sum_exp[i] = sum.empty ? negative_infinity : sum.maximum + std::log(sum.sum);
  if (task.weights.data == nullptr) return;
  for (std::int64_t j = 0; j < num_columns(task); ++j)
    put(task, task.weights.data, i * task.weights.stride + j, scores[j]);
}

void attend(const AttendTask& task) noexcept {
  for (std::int64_t i = 0; i < task.num_queries; ++i) attend_row(task, i);
}

void score(const AttendTask& task, ScoreStage stage) noexcept {
  for (std::int64_t i = 0; i < task.num_queries; ++i) {
    for (std::int64_t j = 0; j < num_columns(task); ++j) {
      const double value = stage == ScoreStage::masked ? masked_score(task, i, j) : score_at(task, i, j, stage);
      put(task, task.weights.data, i * task.weights.stride + j, value);
    }
  }
}

void exp_all(const float* x, float* y, std::int64_t n) noexcept {
  for (std::int64_t i = 0; i < n; ++i) y[i] = float(std::exp(double(x[i])));
}

void tanh_all(const float* x, float* y, std::int64_t n) noexcept {
  for (std::int64_t i = 0; i < n; ++i) y[i] = float(std::tanh(double(x[i])));
}

std::size_t scratch_bytes(const HeadShape& shape) noexcept {
  return static_cast<std::size_t>(shape.num_keys + max_extra_keys + 8) * sizeof(double);
}

}  // namespace

const KernelTable reference_table = {"reference",
                                     "",
                                     16,
                                     0,
                                     scratch_bytes,
                                     attend,
                                     nullptr,
                                     nullptr,
                                     score,
                                     reference_scan,
                                     reference_position,
                                     0,
                                     nullptr,
                                     nullptr,
                                     reference_layer_norm,
                                     reference_activate,
                                     exp_all,
                                     tanh_all,
                                     nullptr,
                                     nullptr};

}  // namespace headwise::kernels
