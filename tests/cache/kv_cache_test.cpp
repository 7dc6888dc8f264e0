// Lengths, oldest tokens, truncation, copies: held against a list of the tokens that each row should hold.
#include "headwise/kv_cache.hpp"

#include <doctest/doctest.h>

#include <deque>

#include "any_floats.hpp"

using namespace headwise;

namespace {

constexpr std::int64_t batch = 3, kv_heads = 2, head_dim = 3, value_dim = 2, capacity = 7;

const AttentionConfig config{.num_heads = 4, .num_kv_heads = kv_heads, .head_dim = head_dim, .value_dim = value_dim};

// What a row should hold: one number a token, of which all its components are made.
struct ModelRow {
  std::deque<double> tokens;
  std::int64_t first = 0;
  std::int64_t next() const { return first + static_cast<std::int64_t>(tokens.size()); }
};

double component(double token, std::int64_t head, std::int64_t i) {
  return token + 0.25 * static_cast<double>(head) + 0.03125 * static_cast<double>(i);
}

// [B, Hkv, n, width] of any layout; each (b, token) is made of one number.
StridedTensor rows_of(Random& random, DType dtype, const std::vector<std::vector<double>>& tokens, std::int64_t width) {
  const auto n = static_cast<std::int64_t>(tokens[0].size());
  std::vector<double> numbers;
  for (const auto& row : tokens) {
    for (std::int64_t head = 0; head < kv_heads; ++head) {
      for (const double token : row) {
        for (std::int64_t i = 0; i < width; ++i) numbers.push_back(component(token, head, i));
      }
    }
  }
  return stored_floats(random, dtype, {batch, kv_heads, n, width}, numbers);
}

// The numbers are multiples of 1/32 below 8: exact in bf16 and f16.
void check_part(const TensorView& storage, std::int64_t b, const ModelRow& row) {
  const std::vector<double> all = read_floats(storage);
  const std::int64_t width = storage.shape[3];
  for (std::int64_t head = 0; head < kv_heads; ++head) {
    for (std::size_t t = 0; t < row.tokens.size(); ++t) {
      const std::int64_t slot = (row.first + static_cast<std::int64_t>(t)) % capacity;
      const std::int64_t at = ((b * kv_heads + head) * capacity + slot) * width;
      for (std::int64_t i = 0; i < width; ++i) {
        REQUIRE(all[static_cast<std::size_t>(at + i)] == component(row.tokens[t], head, i));
      }
    }
  }
}

struct Model {
  std::vector<ModelRow> rows = std::vector<ModelRow>(batch);

  void check(const KvCache& cache) const {
    for (std::int64_t b = 0; b < batch; ++b) {
      const ModelRow& row = rows[static_cast<std::size_t>(b)];
      REQUIRE(cache.length(b) == row.next());
      REQUIRE(cache.oldest(b) == row.first);
      check_part(cache.keys(), b, row);
      check_part(cache.values(), b, row);
    }
  }
  void push(std::size_t b, double token) {
    ModelRow& row = rows[b];
    row.tokens.push_back(token);
    if (row.tokens.size() <= capacity) return;
    row.tokens.pop_front();
    ++row.first;
  }
};

struct Run {
  Random random;
  KvCache cache;
  Model model{};

  void append() {
    const std::int64_t n = random.below(capacity + 1);
    const bool counted = random.chance(0.5);
    std::vector<std::vector<double>> tokens(batch, std::vector<double>(static_cast<std::size_t>(n)));
    Tensor counts(random.chance(0.5) ? DType::i64 : DType::i32, {batch});
    std::int64_t count[batch];
    bool fits = true;
    for (std::int64_t b = 0; b < batch; ++b) {
      count[b] = counted ? random.below(n + 1) : n;
      fits = fits && (cache.circular() || cache.length(b) + count[b] <= capacity);
      for (double& token : tokens[static_cast<std::size_t>(b)]) token = static_cast<double>(random.below(7));
      if (counts.dtype() == DType::i64) counts.data<std::int64_t>()[b] = count[b];
      if (counts.dtype() == DType::i32) counts.data<std::int32_t>()[b] = static_cast<std::int32_t>(count[b]);
    }
    const DType types[] = {DType::f32, DType::f16, DType::bf16};
    const StridedTensor key = rows_of(random, types[random.below(3)], tokens, head_dim);
    const StridedTensor value = rows_of(random, types[random.below(3)], tokens, value_dim);
    const TensorView given = counted ? counts.view() : TensorView();
    if (!fits) {
      CHECK_THROWS_AS(cache.append(key.view(), value.view(), given), Error);
      return;
    }
    cache.append(key.view(), value.view(), given);
    for (std::size_t b = 0; b < batch; ++b) {
      for (std::int64_t i = 0; i < count[b]; ++i) model.push(b, tokens[b][static_cast<std::size_t>(i)]);
    }
  }
  void shorten() {
    const std::int64_t b = random.below(batch);
    ModelRow& row = model.rows[static_cast<std::size_t>(b)];
    const std::int64_t drop = random.below(static_cast<std::int64_t>(row.tokens.size()) + 1);
    row.tokens.resize(row.tokens.size() - static_cast<std::size_t>(drop));
    random.chance(0.5) ? cache.truncate(b, row.next()) : cache.roll_back(b, drop);
  }
  void copy() {
    const std::int64_t from = random.below(batch), to = random.below(batch);
    model.rows[static_cast<std::size_t>(to)] = ModelRow(model.rows[static_cast<std::size_t>(from)]);
    cache.copy_row(from, to);
  }
  void clear() {
    model = Model();
    cache.clear();
  }
};

}  // namespace

TEST_CASE("cache: any order of calls leaves the tokens that it should") {
  for (const bool circular : {false, true}) {
    for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
      INFO("seed 31");
      Run run{Random(31), KvCache(config, {batch, capacity, dtype, circular})};
      for (int step = 0; step < 400; ++step) {
        CAPTURE(step);
        const std::int64_t choice = run.random.below(20);
        choice < 12 ? run.append() : choice < 17 ? run.shorten() : choice < 19 ? run.copy() : run.clear();
        run.model.check(run.cache);
      }
    }
  }
}

TEST_CASE("cache: a fork is independent, a move takes everything") {
  Run run{Random(32), KvCache(config, {batch, capacity, DType::f16, true})};
  run.append();
  const Model before = run.model;
  KvCache fork = run.cache.fork();
  CHECK(fork.dtype() == DType::f16);
  CHECK(fork.circular());
  CHECK(fork.keys().data != run.cache.keys().data);
  run.append();
  run.append();
  before.check(fork);
  run.model.check(run.cache);
  const KvCache moved = std::move(fork);
  before.check(moved);
}

TEST_CASE("cache: sizes that the config leaves open are derived") {
  const KvCache cache({.model_dim = 32, .num_heads = 4}, {.batch = 2, .capacity = 5});
  CHECK(cache.keys().shape == Dims{2, 4, 5, 8});
  CHECK(cache.values().shape == Dims{2, 4, 5, 8});
  CHECK(cache.batch() == 2);
  CHECK(cache.capacity() == 5);
  CHECK(cache.dtype() == DType::f32);
  CHECK(!cache.circular());
}
