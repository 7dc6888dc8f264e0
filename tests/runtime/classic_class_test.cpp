// The classic class of four linear layers that fills scores with −1e9 where mask == 0: a row without a live key becomes
// the mean of all values, by its own arithmetic. RowsWithoutKeys::mean reproduces it.
#include <doctest/doctest.h>

#include "isas.hpp"
#include "layer_float64.hpp"

using namespace headwise;

namespace {

// softmax(where(mask == 0, −1e9, q·kᵀ/√d))·v of one head in float64, exactly as that class computes it.
struct ClassicHead {
  std::vector<double> weights, output;

  ClassicHead(const Projected& q, const Projected& k, const Projected& v, const Tensor& mask, std::int64_t b,
              std::int64_t h, std::int64_t d) {
    for (std::int64_t i = 0; i < q.length; ++i) {
      std::vector<double> row;
      for (std::int64_t j = 0; j < k.length; ++j) {
        double dot = 0;
        for (std::int64_t c = 0; c < d; ++c) dot += q.at(b, i, h * d + c) * k.at(b, j, h * d + c);
        const std::int64_t at = (b * q.length + i) * k.length + j;
        row.push_back(mask.data<bool>()[at] ? dot / std::sqrt(double(d)) : -1e9);
      }
      softmax(row);
      for (std::int64_t c = 0; c < d; ++c) {
        double sum = 0;
        for (std::size_t j = 0; j < row.size(); ++j) sum += row[j] * v.at(b, std::int64_t(j), h * d + c);
        output.push_back(sum);
      }
      weights.insert(weights.end(), row.begin(), row.end());
    }
  }

  static void softmax(std::vector<double>& row) {
    const double top = *std::max_element(row.begin(), row.end());
    double sum = 0;
    for (double& x : row) sum += x = std::exp(x - top);
    for (double& x : row) x /= sum;
  }
};

struct ClassicResult {
  std::vector<double> output, weights;  // [B, L, D], [B, H, L, L]
};

ClassicResult classic(const AttentionWeights& w, const Tensor& x, const Tensor& mask, std::int64_t heads) {
  const Projected q = project_float64(x.view(), w.query_weight, w.query_bias);
  const Projected k = project_float64(x.view(), w.key_weight, w.key_bias);
  const Projected v = project_float64(x.view(), w.value_weight, w.value_bias);
  const std::int64_t batch = x.shape()[0], length = x.shape()[1], width = x.shape()[2], d = width / heads;
  std::vector<double> context(std::size_t(x.size()));
  ClassicResult result;
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t h = 0; h < heads; ++h) {
      const ClassicHead head(q, k, v, mask, b, h, d);
      result.weights.insert(result.weights.end(), head.weights.begin(), head.weights.end());
      for (std::int64_t i = 0; i < length * d; ++i) {
        context[std::size_t((b * length + i / d) * width + h * d + i % d)] = head.output[std::size_t(i)];
      }
    }
  }
  const Element3 read = [&](auto b, auto i, auto c) { return context[std::size_t((b * length + i) * width + c)]; };
  result.output = project_float64(read, read, batch, length, w.output_weight, w.output_bias).values;
  return result;
}

double largest_difference(const Tensor& actual, const std::vector<double>& expected) {
  double result = 0;
  REQUIRE(actual.size() == static_cast<std::int64_t>(expected.size()));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double difference = std::fabs(double(actual.data()[i]) - expected[i]);
    result = difference <= result ? result : difference;
  }
  return result;
}

}  // namespace

TEST_CASE("classic class: masks with and without rows that have no key, output and weights") {
  Random random(9);
  AttentionConfig config;
  config.model_dim = 64;
  config.num_heads = 8;
  config.rows_without_keys = RowsWithoutKeys::mean;
  const AttentionWeights weights = random_weights(config, 9);
  for (const std::int64_t length : {1, 10, 37, 210}) {
    const Tensor x = random_tensor(random, {2, length, 64});
    Tensor mask(DType::boolean, {2, 1, length, length});
    for (std::int64_t i = 0; i < mask.size(); ++i) {
      const std::int64_t row = i / length;
      mask.data<bool>()[i] = row % 5 != 2 && random.chance(0.6);  // every fifth row has no key
    }
    const ClassicResult expected = classic(weights, x, mask, 8);
    AttentionInputs inputs = inputs_of(x, x, x);
    inputs.attention_mask = mask.view();
    inputs.attention_mask_meaning = BooleanMask::keep;
    for (const std::string& isa : running_isas()) {
      CAPTURE(isa);
      CAPTURE(length);
      const Results results = run(MultiHeadAttention(weights, {isa, false}), inputs, {true, false});
      CHECK(results.attention.shape() == Dims{2, 8, length, length});
      CHECK(largest_difference(results.output, expected.output) <= 2e-6);
      CHECK(largest_difference(results.attention, expected.weights) <= 2e-6);
    }
  }
}
