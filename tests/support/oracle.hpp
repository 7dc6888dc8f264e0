// Attention in float64, written from its definition and sharing no code with the library: what the kernels are held
// against. A dead key is skipped; a row without a live key gives zeros.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

struct OracleHead {
  std::int64_t queries = 0, keys = 0, head_dim = 0, value_dim = 0;
  double scale = 1;
  // Element (row, column) of each operand, so that any layout can be read.
  std::function<double(std::int64_t, std::int64_t)> query, key, value;
  // The additive bias of key j for query i; −inf: dead.
  std::function<double(std::int64_t, std::int64_t)> bias = [](std::int64_t, std::int64_t) { return 0.0; };
};

struct OracleResult {
  std::vector<double> weights;  // [queries][keys]
  std::vector<double> output;   // [queries][value_dim]
  std::vector<double> unit;     // Σp|v| of each output element: errors are counted in eps times this
};

inline void oracle_row(const OracleHead& head, std::int64_t i, OracleResult& result) {
  constexpr double dead = -std::numeric_limits<double>::infinity();
  double* weights = result.weights.data() + i * head.keys;
  double top = dead;
  for (std::int64_t j = 0; j < head.keys; ++j) {
    weights[j] = head.bias(i, j);
    if (weights[j] == dead) continue;
    double dot = 0;
    for (std::int64_t c = 0; c < head.head_dim; ++c) dot += head.query(i, c) * head.key(j, c);
    weights[j] += dot * head.scale;
    if (!(weights[j] <= top)) top = weights[j];  // a NaN becomes the maximum and stays it
  }
  double sum = 0;
  for (std::int64_t j = 0; j < head.keys; ++j) sum += weights[j] == dead ? 0 : std::exp(weights[j] - top);
  for (std::int64_t j = 0; j < head.keys; ++j) {
    const double p = weights[j] == dead ? 0 : std::exp(weights[j] - top) / sum;
    const bool skip = weights[j] == dead;
    weights[j] = p;
    for (std::int64_t c = 0; c < head.value_dim && !skip; ++c) {
      const double v = head.value(j, c);
      result.output[std::size_t(i * head.value_dim + c)] += p * v;
      result.unit[std::size_t(i * head.value_dim + c)] += p * std::fabs(v);
    }
  }
}

inline OracleResult oracle(const OracleHead& head) {
  OracleResult result;
  result.weights.resize(std::size_t(head.queries * head.keys));
  result.output.resize(std::size_t(head.queries * head.value_dim));
  result.unit.resize(std::size_t(head.queries * head.value_dim));
  for (std::int64_t i = 0; i < head.queries; ++i) oracle_row(head, i, result);
  return result;
}

// Largest and root-mean-square error in units of eps·Σp|v|.
struct UnitError {
  double max = 0, squares = 0;
  std::int64_t count = 0;

  void add(double actual, double expected, double unit) {
    constexpr double eps = 0x1p-23;
    const double smallest = 0x1p-126;  // below the normal numbers an error has no relative meaning
    const double error = std::fabs(actual - expected) / (eps * (unit > smallest ? unit : smallest));
    max = error <= max ? max : error;  // NaN counts as infinitely wrong
    squares += error * error;
    ++count;
  }
  void add(const UnitError& other) {
    max = other.max <= max ? max : other.max;
    squares += other.squares;
    count += other.count;
  }
  double rms() const { return count > 0 ? std::sqrt(squares / double(count)) : 0; }
};
