// Scores, softmax and mix of one row: one query of one head.
#pragma once

#include <vector>

#include "facts.hpp"
#include "number.hpp"

namespace differential {

// One query among its keys; the extra keys stand behind the others.
struct ScoreRow {
  std::vector<Number> scaled, capped, masked;
  std::vector<char> live;
  bool any_live() const;
};

struct WeightRow {
  std::vector<Number> weights;
  Number log_sum_exp;
};

// What scores of a head depend on besides its query and keys.
struct ScoreRules {
  double scale, softcap;
  double slope = 0;                // ALiBi
  std::vector<double> relative{};  // T5: by bucket, for this head
  const headwise::PositionBiasConfig* buckets = nullptr;
  const Number* sink = nullptr;
};

// Heads that a row sees: [keys + extra][size].
using KeyRow = std::vector<const Number*>;

ScoreRow score_row(const Call& call, const Place& first, const Number* query, const KeyRow& keys, std::int64_t size,
                   const ScoreRules& rules, const Precision& precision);
WeightRow softmax_row(const ScoreRow& scores, const ScoreRules& rules, const Precision& precision);
// Of a row without a live key or a sink: `keys` says how many keys its sequence has.
WeightRow empty_row(std::int64_t width, std::int64_t keys, headwise::RowsWithoutKeys policy);
// Σ p·v over the live keys, or over the first `count` when there are none.
std::vector<Number> mix_row(const WeightRow& row, const std::vector<char>& taken, const KeyRow& values,
                            std::int64_t size, const Precision& precision);

}  // namespace differential
