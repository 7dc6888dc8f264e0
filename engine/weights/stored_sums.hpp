// Three fixed inputs go through a layer as its definition reads, in double; of what comes out, sums with fixed random
// factors are kept. A transposed matrix, rows in another order or heads cut otherwise give other sums.
#pragma once

#include <string>
#include <vector>

#include "headwise/weights.hpp"

namespace headwise {

struct StoredSum {
  std::string what;  // "the query"
  double value = 0;
  double magnitude = 0;  // the sum of the magnitudes of its terms
};

// config is resolved and fits the tensors.
std::vector<StoredSum> stored_sums(const AttentionWeights& weights, const AttentionConfig& config);

}  // namespace headwise
