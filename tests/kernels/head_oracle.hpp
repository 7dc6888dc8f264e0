// Attention of one head in float64 with all modifiers of scores, written from its definition and sharing no code with
// the kernels: what they are held against.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

struct HeadTruth {
  std::vector<double> weights, scores;  // [queries][columns]; scores: masked
  std::vector<double> output, unit;     // [queries][value_dim]; unit: Σp|v| of the element
  std::vector<double> log_sum_exp;      // [queries]
};

struct HeadProblem {
  std::int64_t queries, columns, value_dim;
  std::function<double(std::int64_t, std::int64_t)> score, value;  // modified, −inf: dead; (column, component)
  bool has_sink;
  double sink, gate;
};

inline double top_score(const HeadProblem& head, const double* scores) {
  double top = head.has_sink ? head.sink : -std::numeric_limits<double>::infinity();
  for (std::int64_t j = 0; j < head.columns; ++j) top = scores[j] <= top ? top : scores[j];
  return top;
}

// Rows without a live key, and without a sink, become zeros.
inline void solve_row(const HeadProblem& head, std::int64_t i, HeadTruth& truth) {
  constexpr double dead = -std::numeric_limits<double>::infinity();
  const double* scores = truth.scores.data() + i * head.columns;
  const double top = top_score(head, scores);
  if (top == dead) {
    truth.log_sum_exp[std::size_t(i)] = dead;
    return;
  }
  double sum = head.has_sink ? std::exp(head.sink - top) : 0;
  for (std::int64_t j = 0; j < head.columns; ++j) sum += std::exp(scores[j] - top);
  truth.log_sum_exp[std::size_t(i)] = top + std::log(sum);
  for (std::int64_t j = 0; j < head.columns; ++j) {
    if (scores[j] == dead) continue;
    const double p = std::exp(scores[j] - top) / sum;
    truth.weights[std::size_t(i * head.columns + j)] = p;
    for (std::int64_t c = 0; c < head.value_dim; ++c) {
      truth.output[std::size_t(i * head.value_dim + c)] += p * head.value(j, c) * head.gate;
      truth.unit[std::size_t(i * head.value_dim + c)] += p * std::fabs(head.value(j, c) * head.gate);
    }
  }
}

inline HeadTruth solve(const HeadProblem& head) {
  HeadTruth truth;
  for (auto* table : {&truth.weights, &truth.scores}) table->resize(std::size_t(head.queries * head.columns));
  for (auto* table : {&truth.output, &truth.unit}) table->resize(std::size_t(head.queries * head.value_dim));
  truth.log_sum_exp.resize(std::size_t(head.queries));
  for (std::int64_t i = 0; i < head.queries; ++i) {
    for (std::int64_t j = 0; j < head.columns; ++j) truth.scores[std::size_t(i * head.columns + j)] = head.score(i, j);
    solve_row(head, i, truth);
  }
  return truth;
}
