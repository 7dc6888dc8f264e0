#include "float64_attend.hpp"

#include <algorithm>

#include "float64_positions.hpp"

namespace differential {

using namespace headwise;

namespace {

Number scaled_score(const Number* query, const Number* key, std::int64_t size, double scale, const Precision& p) {
  double sum = 0, magnitude = 0, error = 0;
  for (std::int64_t c = 0; c < size; ++c) {
    const double q = std::fabs(query[c].value), k = std::fabs(key[c].value);
    sum += query[c].value * key[c].value;
    magnitude += q * k;
    error += q * key[c].error + (k + key[c].error) * query[c].error;
  }
  return {scale * sum, std::fabs(scale) * (error + p.sums * p.eps * magnitude)};
}

// c · tanh(s / c) never stretches an error.
Number capped_score(const Number& scaled, double softcap, const Precision& p) {
  if (softcap == 0) return scaled;
  const double value = softcap * std::tanh(scaled.value / softcap);
  return {value, scaled.error + 4 * p.eps * std::fabs(value)};
}

double position_bias(const Call& call, const Place& place, const ScoreRules& rules) {
  const std::int64_t distance =
      key_position(call, place.batch, place.key) - query_position(call, place.batch, place.query);
  if (rules.relative.empty()) return -rules.slope * double(std::abs(distance));
  return rules.relative[std::size_t(bucket(distance, std::ssize(rules.relative), *rules.buckets))];
}

Number masked_score(const Number& capped, double position, double mask, const Precision& p) {
  if (mask == dead) return {dead, 0};
  const double rounding = std::fabs(capped.value) + 2 * std::fabs(position) + 2 * std::fabs(mask);
  return {capped.value + position + mask, capped.error + p.eps * rounding};
}

double highest(const ScoreRow& row, const Number* sink) {
  double top = sink != nullptr ? sink->value : dead;
  for (std::size_t j = 0; j < row.live.size(); ++j) {
    if (row.live[j] && !(row.masked[j].value <= top)) top = row.masked[j].value;  // a NaN stays the maximum
  }
  return top;
}

// How far a score may move, with the rounding of its distance from the maximum.
double spread(const Number& score, double top, const Precision& p) {
  return score.error + p.eps * std::fabs(score.value - top);
}

struct Sum {
  double log = dead;  // ln Σ exp(score)
  double growth = 0;  // how much more it may be: ln Σ p·exp(spread)
};

Sum sum_of(const ScoreRow& row, const Number* sink, const Precision& p) {
  const double top = highest(row, sink);
  double sum = 0, grown = 0;
  const auto add = [&](const Number& score) {
    sum += std::exp(score.value - top);
    grown += std::exp(score.value - top + spread(score, top, p));
  };
  if (sink != nullptr) add(*sink);
  for (std::size_t j = 0; j < row.live.size(); ++j) {
    if (row.live[j]) add(row.masked[j]);
  }
  return {top + std::log(sum), std::log(grown) - std::log(sum)};
}

Number weight_of(const Number& score, double top, const Sum& sum, const Precision& p) {
  const double weight = std::exp(score.value - sum.log);
  const double more = std::exp(score.value - sum.log + spread(score, top, p) + sum.growth) - weight;
  return {weight, more + p.core * p.eps * weight + p.lost};
}

}  // namespace

bool ScoreRow::any_live() const {
  return std::find(live.begin(), live.end(), 1) != live.end();
}

ScoreRow score_row(const Call& call, const Place& first, const Number* query, const KeyRow& keys, std::int64_t size,
                   const ScoreRules& rules, const Precision& precision) {
  ScoreRow row;
  for (std::int64_t j = 0; j < std::ssize(keys); ++j) {
    const Place place{first.batch, first.head, first.query, j};
    const bool extra = j >= call.keys;
    const double mask = extra ? 0 : mask_bias(call, place);
    row.scaled.push_back(scaled_score(query, keys[std::size_t(j)], size, rules.scale, precision));
    row.capped.push_back(capped_score(row.scaled.back(), rules.softcap, precision));
    const double position = extra || mask == dead ? 0 : position_bias(call, place, rules);
    row.masked.push_back(masked_score(row.capped.back(), position, mask, precision));
    row.live.push_back(char(mask != dead));
  }
  return row;
}

WeightRow softmax_row(const ScoreRow& scores, const ScoreRules& rules, const Precision& precision) {
  const double top = highest(scores, rules.sink);
  const Sum sum = sum_of(scores, rules.sink, precision);
  WeightRow row;
  for (std::size_t j = 0; j < scores.live.size(); ++j) {
    row.weights.push_back(scores.live[j] ? weight_of(scores.masked[j], top, sum, precision) : Number{});
  }
  row.log_sum_exp = {sum.log, sum.growth + precision.eps * (precision.core + std::fabs(sum.log))};
  return row;
}

WeightRow empty_row(std::int64_t width, std::int64_t keys, RowsWithoutKeys policy) {
  WeightRow row{std::vector<Number>(std::size_t(width)), {dead, 0}};
  if (policy == RowsWithoutKeys::zero) return row;
  const bool mean = policy == RowsWithoutKeys::mean;
  const double each = mean ? 1 / double(keys) : std::numeric_limits<double>::quiet_NaN();
  std::fill_n(row.weights.begin(), keys, Number{each, mean ? 0x1p-23 * each : 0});
  return row;
}

std::vector<Number> mix_row(const WeightRow& row, const std::vector<char>& taken, const KeyRow& values,
                            std::int64_t size, const Precision& precision) {
  std::vector<Number> context(static_cast<std::size_t>(size));
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (!taken[j]) continue;
    const Number& weight = row.weights[j];
    for (std::int64_t c = 0; c < size; ++c) {
      const Number& value = values[j][c];
      Number& to = context[std::size_t(c)];
      to.value += weight.value * value.value;
      to.error += weight.error * std::fabs(value.value) + (weight.value + weight.error) * value.error + precision.lost;
    }
  }
  return context;
}

}  // namespace differential
