// Everything that can be asked for, against its definition.
#include "outputs_calls.hpp"

using namespace headwise;

TEST_CASE("outputs: average and column sums are those of the weights") {
  for_each_outputs_call([](OutputsCall& call) {
    const AllOutputs all = call.run_all();
    const std::int64_t q = call.sizes.queries, k = call.sizes.keys;
    const auto weight = [&](std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) {
      return double(all.attention.data()[((b * 4 + h) * q + i) * k + j]);
    };
    CHECK(largest_error(all.average, [&](std::int64_t n) {
            double sum = 0;
            for (std::int64_t h = 0; h < 4; ++h) sum += weight(n / (q * k), h, n / k % q, n % k);
            return sum / 4;
          }) <= 2 * eps);
    CHECK(largest_error(all.column_sums, [&](std::int64_t n) {
            double sum = 0;
            for (std::int64_t i = 0; i < q; ++i) sum += weight(n / (4 * k), n / k % 4, i, n % k);
            return sum;
          }) <= 8 * eps * double(q));
  });
}

TEST_CASE("outputs: weights are e to the scores less their log-sum-exp") {
  for_each_outputs_call([](OutputsCall& call) {
    const AllOutputs all = call.run_all();
    CHECK(largest_error(all.attention, [&](std::int64_t n) {
            return std::exp(double(all.scores.data()[n]) - double(all.log_sum_exp.data()[n / call.sizes.keys]));
          }) <= 16 * eps);
  });
}

TEST_CASE("outputs: scores at each stage") {
  for_each_outputs_call([](OutputsCall& call) {
    const AllOutputs scaled = call.run_all(ScoreStage::scaled), capped = call.run_all(ScoreStage::capped),
                     masked = call.run_all(ScoreStage::masked);
    CHECK(largest_error(capped.scores,
                        [&](std::int64_t n) { return 2 * std::tanh(double(scaled.scores.data()[n]) / 2); }) <= 8 * eps);
    const std::int64_t row = call.sizes.queries * call.sizes.keys;
    bool same = true;
    for (std::int64_t n = 0; n < masked.scores.size(); ++n) {
      same = same && masked.scores.data()[n] == capped.scores.data()[n] + call.mask.data()[n % row];
    }
    CHECK(same);
  });
}

TEST_CASE("outputs: the largest weights, falling, ties to the lower key") {
  for_each_outputs_call([](OutputsCall& call) {
    const AllOutputs all = call.run_all();
    bool right = true;
    for (std::int64_t row = 0; row < call.rows(); ++row) {
      const float* weights = all.attention.data() + row * call.sizes.keys;
      std::vector<std::int32_t> keys(std::size_t(call.sizes.keys));
      for (std::size_t j = 0; j < keys.size(); ++j) keys[j] = std::int32_t(j);
      std::stable_sort(keys.begin(), keys.end(), [&](auto a, auto b) { return weights[a] > weights[b]; });
      for (std::int64_t t = 0; t < 3; ++t) {
        const std::int32_t key = all.top_keys.data<std::int32_t>()[row * 3 + t];
        right = right && key == keys[std::size_t(t)] && all.top_weights.data()[row * 3 + t] == weights[key];
      }
    }
    CHECK(right);
  });
}

TEST_CASE("outputs: contributions of the heads and the bias add up to the output") {
  for_each_outputs_call([](OutputsCall& call) {
    const AllOutputs all = call.run_all();
    const std::int64_t q = call.sizes.queries;
    CHECK(largest_error(all.output, [&](std::int64_t n) {
            const std::int64_t b = n / (q * 11), i = n / 11 % q, o = n % 11;
            auto sum = double(call.weights.output_bias.data()[o]);
            for (std::int64_t h = 0; h < 4; ++h) {
              sum += double(all.head_contribution.data()[((b * 4 + h) * q + i) * 11 + o]);
            }
            return sum;
          }) <= 8 * eps);
    CHECK(largest_error(all.head_contribution, [&](std::int64_t n) {
            const std::int64_t row = n / 11, h = row / q % 4, o = n % 11;
            double sum = 0;
            for (std::int64_t c = 0; c < 5; ++c) {
              sum += double(all.head_context.data()[row * 5 + c]) *
                     double(call.weights.output_weight.data()[o * 20 + h * 5 + c]);
            }
            return sum;
          }) <= 4 * eps);
  });
}

TEST_CASE("outputs: equal weights go to the lower key, and nothing stands past the last live one") {
  Random random(62);
  for (const std::string& isa : running_isas()) {
    for (const std::int64_t queries : {1, 40}) {
      CAPTURE(isa);
      CAPTURE(queries);
      const Tensor query = random_tensor(random, {1, 2, queries, 5}), key = filled({1, 2, 50, 5}, 0.5F);
      AttentionInputs inputs = inputs_of(query, key, key);
      Tensor lengths(DType::i32, {1});
      lengths.data<std::int32_t>()[0] = 3;
      inputs.key_lengths = lengths.view();
      const MultiHeadAttention model = heads_model(inputs, isa);
      AllOutputs all = make_all_outputs(model, {1, queries, 50, 5});
      Session(model, {1, Schedule::automatic}).run(inputs, all.views());
      bool right = true;
      for (std::int64_t n = 0; n < all.top_weights.size(); ++n) {
        const std::int64_t place = n % 5;
        right = right && all.top_keys.data<std::int32_t>()[n] == (place < 3 ? place : -1);
        right = right && std::fabs(all.top_weights.data()[n] - (place < 3 ? 1 / 3.0F : 0)) <= eps;
      }
      CHECK(right);
    }
  }
}
