// One query whose heads share keys and values: heads of a group are computed together, with the bits of each alone.
#include <doctest/doctest.h>

#include <limits>

#include "calls.hpp"
#include "isas.hpp"

using namespace headwise;

namespace {

struct Case {
  std::int64_t group, keys, size, value_size;
};

// Two groups of one sequence, and the inputs of one head of them.
struct Grouped {
  Tensor query, key, value;
  AttentionConfig config;
  AttentionInputs inputs;

  explicit Grouped(const Case& c) {
    Random random(1);
    query = random_tensor(random, {1, 2 * c.group, 1, c.size}, 3);
    key = random_tensor(random, {1, 2, c.keys, c.size});
    value = random_tensor(random, {1, 2, c.keys, c.value_size});
    config = heads_config(query.view(), key.view(), value.view());
    inputs = inputs_of(query, key, value);
  }
  AttentionInputs head(std::int64_t h) const {
    AttentionInputs one = inputs;
    const std::int64_t shared = h / (config.num_heads / 2);
    one.query = slice(query, 1, h, 1);
    one.key = slice(key, 1, shared, 1);
    one.value = slice(value, 1, shared, 1);
    return one;
  }
};

void check_heads(const Grouped& grouped, const std::string& isa, int threads) {
  const std::int64_t heads = grouped.config.num_heads, width = grouped.config.value_dim;
  const MultiHeadAttention all = heads_model(grouped.inputs, isa), one = heads_model(grouped.head(0), isa);
  const Results together = run(all, grouped.inputs, {}, {threads, Schedule::automatic});
  for (std::int64_t h = 0; h < heads; ++h) {
    CAPTURE(h);
    const Results alone = run(one, grouped.head(h));
    CHECK(std::memcmp(together.output.data() + h * width, alone.output.data(), std::size_t(width) * 4) == 0);
  }
}

constexpr Case cases[] = {{2, 7, 8, 8},     {3, 479, 20, 12},  {4, 480, 64, 64}, {5, 481, 33, 1},
                          {8, 1000, 16, 5}, {9, 1441, 64, 72}, {4, 97, 3, 2}};

}  // namespace

TEST_CASE("grouped decode: heads together have the bits of each head alone") {
  for (const std::string& isa : running_isas()) {
    for (const Case& c : cases) {
      CAPTURE(isa);
      CAPTURE(c.group);
      CAPTURE(c.keys);
      check_heads(Grouped(c), isa, 1);
      check_heads(Grouped(c), isa, 2);
    }
  }
}

TEST_CASE("grouped decode: windows, causal offsets and lengths stand where the query stands") {
  for (const std::string& isa : running_isas()) {
    CAPTURE(isa);
    Grouped grouped({4, 1000, 16, 16});
    Tensor offset(DType::i64, {1}), length(DType::i64, {1});
    offset.data<std::int64_t>()[0] = 700;
    length.data<std::int64_t>()[0] = 650;
    grouped.inputs.query_offsets = offset;
    grouped.inputs.causal = true;
    check_heads(grouped, isa, 2);
    grouped.inputs.window = {500, 0};
    check_heads(grouped, isa, 2);
    grouped.inputs.key_lengths = length;
    check_heads(grouped, isa, 2);
  }
}

TEST_CASE("grouped decode: a NaN in one query stays in its head; a closed gate and weights change no other bit") {
  for (const std::string& isa : running_isas()) {
    CAPTURE(isa);
    Grouped grouped({4, 1000, 16, 16});
    grouped.query.data()[2 * 16] = std::numeric_limits<float>::quiet_NaN();
    check_heads(grouped, isa, 1);
    const MultiHeadAttention model = heads_model(grouped.inputs, isa);
    const Results plain = run(model, grouped.inputs), weighted = run(model, grouped.inputs, {true, false});
    CHECK(std::memcmp(plain.output.data(), weighted.output.data(), 8 * 16 * 4) == 0);
    Tensor gate = filled({8}, 1);
    gate.data()[1] = 0;
    grouped.inputs.head_gate = gate;
    const Results gated = run(model, grouped.inputs);
    CHECK(gated.output.data()[16] == 0);
    CHECK(std::memcmp(plain.output.data() + 32, gated.output.data() + 32, 6 * 16 * 4) == 0);
  }
}
