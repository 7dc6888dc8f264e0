// The largest weights: close weights may stand in either order, everything else is fixed.
#include <algorithm>
#include <cstdio>
#include <set>

#include "elements.hpp"
#include "facts.hpp"
#include "run.hpp"

namespace differential {

using namespace headwise;

namespace {

// The k largest of one row, as they came back.
struct TopRow {
  Place place;
  const Number* weights;  // expected, of all keys
  const char* live;
  std::int64_t keys;
  std::vector<double> top_weights, top_keys;  // empty: not asked for

  std::int64_t count() const { return std::ssize(top_keys.empty() ? top_weights : top_keys); }
  std::int64_t live_keys() const { return std::count(live, live + keys, 1); }
};

std::string problem_at(const TopRow& row, std::int64_t rank, const char* what) {
  char text[256];
  const auto r = std::size_t(rank);
  std::snprintf(text, sizeof text, "top %lld of row [%lld, %lld, %lld]: %s (key %g, weight %.9g)", (long long)rank,
                (long long)row.place.batch, (long long)row.place.head, (long long)row.place.query, what,
                row.top_keys.empty() ? -2 : row.top_keys[r], row.top_weights.empty() ? -2 : row.top_weights[r]);
  return text;
}

double weight_error(const Number& weight, DType dtype, const Precision& p) {
  return weight.error + half_ulp(weight.value + std::min(weight.error, 1.0), dtype) + p.lost;
}

// Weights alone: each is close to the expected one of its rank.
std::string compare_weights(const TopRow& row, DType dtype, const Precision& p) {
  std::vector<Number> sorted;
  for (std::int64_t j = 0; j < row.keys; ++j) sorted.push_back(row.live[j] ? row.weights[j] : Number{});
  std::sort(sorted.begin(), sorted.end(), [](const Number& a, const Number& b) { return a.value > b.value; });
  double error = 0;
  for (const Number& weight : sorted) error = std::max(error, weight_error(weight, dtype, p));
  for (std::int64_t r = 0; r < row.count(); ++r) {
    const double actual = row.top_weights[std::size_t(r)];
    if (r > 0 && actual > row.top_weights[std::size_t(r - 1)]) return problem_at(row, r, "weights rise");
    if (r >= row.live_keys() && actual != 0) return problem_at(row, r, "a weight past the last live key");
    if (!(std::fabs(actual - sorted[std::size_t(r)].value) <= error)) return problem_at(row, r, "another weight");
  }
  return "";
}

// A weight that became 0 may be left out.
bool is_lost(const TopRow& row, std::int64_t rank, const Precision& p) {
  std::int64_t kept = 0;
  for (std::int64_t j = 0; j < row.keys; ++j) kept += row.live[j] && row.weights[j].value > 2 * p.lost ? 1 : 0;
  return rank >= kept;
}

// What is wrong with the key at a rank before the live ones end; nullptr: nothing.
const char* key_problem(const TopRow& row, std::int64_t rank, DType dtype, const Precision& p) {
  const auto key = std::int64_t(row.top_keys[std::size_t(rank)]);
  if (key < 0 || key >= row.keys || !row.live[key]) return "no live key";
  if (row.top_weights.empty()) return nullptr;
  const double weight = row.top_weights[std::size_t(rank)];
  const bool close = std::fabs(weight - row.weights[key].value) <= weight_error(row.weights[key], dtype, p);
  if (!close) return "not the weight of this key";
  const bool tie = rank > 0 && weight == row.top_weights[std::size_t(rank - 1)] && dtype_size(dtype) >= 4;
  return tie && key < row.top_keys[std::size_t(rank - 1)] ? "a tie with the higher key first" : nullptr;
}

std::string compare_keys(const TopRow& row, DType dtype, const Precision& p) {
  std::set<std::int64_t> seen;
  for (std::int64_t r = 0; r < row.count(); ++r) {
    const auto key = std::int64_t(row.top_keys[std::size_t(r)]);
    const bool past = r >= row.live_keys();
    if (past && key != -1) return problem_at(row, r, "a key past the last live one");
    if (past || (key == -1 && is_lost(row, r, p))) continue;
    if (const char* problem = key_problem(row, r, dtype, p)) return problem_at(row, r, problem);
    if (!seen.insert(key).second) return problem_at(row, r, "a key that came before");
  }
  return "";
}

// No key that was left out is surely larger than one that was taken.
std::string compare_choice(const TopRow& row) {
  const std::set<double> taken(row.top_keys.begin(), row.top_keys.end());
  for (std::int64_t r = 0; r < std::min(row.count(), row.live_keys()); ++r) {
    if (row.top_keys[std::size_t(r)] < 0) continue;
    const Number& one = row.weights[std::int64_t(row.top_keys[std::size_t(r)])];
    for (std::int64_t j = 0; j < row.keys; ++j) {
      if (!row.live[j] || taken.count(double(j)) != 0) continue;
      if (row.weights[j].value - row.weights[j].error > one.value + one.error) {
        return problem_at(row, r, "a larger weight was left out");
      }
    }
  }
  return "";
}

std::string compare_row(const TopRow& row, DType dtype, const Precision& p) {
  const bool has_nan = std::any_of(row.weights, row.weights + row.keys,
                                   [](const Number& w) { return std::isnan(w.value) || w.error == anything; });
  if (has_nan || row.live_keys() == 0) return "";
  std::string problem;
  if (!row.top_weights.empty()) problem = compare_weights(row, dtype, p);
  if (problem.empty() && !row.top_keys.empty()) problem = compare_keys(row, dtype, p);
  if (problem.empty() && !row.top_keys.empty()) problem = compare_choice(row);
  return problem;
}

std::vector<double> part_of(const Results& results, const char* name, std::size_t row) {
  std::vector<double> part;
  const auto found = results.outputs.find(name);
  if (found == results.outputs.end()) return part;
  const auto count = std::size_t(*(found->second.shape.end() - 1));
  for (std::size_t r = 0; r < count; ++r) part.push_back(found->second.at(row * count + r));
  return part;
}

}  // namespace

std::string compare_top(const Call& call, const Attended& expected, const Results& actual, const Precision& p) {
  const AttentionOutputs& out = call.outputs;
  if (!out.top_weights.given && !out.top_keys.given) return "";
  const Numbers& weights = expected.weights;
  std::size_t number = 0;
  for (std::int64_t b = 0; b < weights.size(0); ++b)
    for (std::int64_t h = 0; h < weights.size(1); ++h)
      for (std::int64_t i = 0; i < weights.size(2); ++i, ++number) {
        if (i >= live_queries(call, b)) continue;
        const TopRow row{{b, h, i, 0},
                         weights.row(b, h, i),
                         expected.live.row(b, h, i),
                         weights.size(3),
                         part_of(actual, "top_weights", number),
                         part_of(actual, "top_keys", number)};
        const std::string problem = compare_row(row, out.top_weights.given ? out.top_weights.dtype : DType::f32, p);
        if (!problem.empty()) return problem;
      }
  return "";
}

}  // namespace differential
