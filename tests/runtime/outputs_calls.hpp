// One layer and the calls that ask it for everything.
#pragma once

#include <doctest/doctest.h>

#include <cmath>

#include "all_outputs.hpp"
#include "isas.hpp"

struct OutputsShape {
  std::int64_t batch, queries, keys;
};
// Blocks of queries and keys, few queries, several slices of the keys.
inline constexpr OutputsShape output_shapes[] = {{2, 9, 9}, {2, 70, 130}, {3, 1, 40}, {1, 2, 1100}};

inline headwise::AttentionConfig output_config() {
  headwise::AttentionConfig config = grouped_config();
  config.value_dim = 5;
  config.output_dim = 11;
  config.softcap = 2;
  return config;
}

struct OutputsCall {
  headwise::AttentionWeights weights = random_weights(output_config(), 60);
  headwise::MultiHeadAttention model;
  OutputSizes sizes;
  headwise::Tensor query, key, mask;
  headwise::AttentionInputs inputs;

  OutputsCall(const std::string& isa, const OutputsShape& s, Random& random)
      : model(weights, options(isa)),
        sizes{s.batch, s.queries, s.keys, 3},
        query(random_tensor(random, {s.batch, s.queries, 24}, 2)),
        key(random_tensor(random, {s.batch, s.keys, 24}, 2)),
        mask(random_tensor(random, {s.queries, s.keys})) {
    for (std::int64_t n = 0; n < mask.size(); n += 5) mask.data()[n] = -std::numeric_limits<float>::infinity();
    inputs = inputs_of(query, key, key);
    inputs.attention_mask = mask.view();
  }
  static headwise::ModelOptions options(const std::string& isa) {
    headwise::ModelOptions result;
    result.isa = isa;
    result.head_contribution = true;
    return result;
  }
  AllOutputs run_all(headwise::ScoreStage stage = headwise::ScoreStage::masked,
                     const headwise::SessionOptions& session = {1, headwise::Schedule::automatic}) {
    AllOutputs all = make_all_outputs(model, sizes);
    headwise::AttentionOutputs views = all.views();
    views.score_stage = stage;
    headwise::Session(model, session).run(inputs, views);
    return all;
  }
  std::int64_t rows() const { return sizes.batch * 4 * sizes.queries; }
};

template <class Test>
void for_each_outputs_call(const Test& test) {
  Random random(61);
  for (const std::string& isa : running_isas()) {
    for (const OutputsShape& shape : output_shapes) {
      CAPTURE(isa);
      CAPTURE(shape.queries);
      OutputsCall call(isa, shape, random);
      test(call);
    }
  }
}

// Largest |actual − expected| over elements; a NaN is infinitely wrong.
template <class Expected>
double largest_error(const headwise::Tensor& actual, const Expected& expected) {
  double largest = 0;
  for (std::int64_t n = 0; n < actual.size(); ++n) {
    const double error = std::fabs(double(actual.data()[n]) - expected(n));
    largest = error <= largest ? largest : error;
  }
  return largest;
}

inline constexpr double eps = 0x1p-23;
