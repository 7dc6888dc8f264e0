// Memory of the caller's own: what lies in it, that all of it comes back, and what happens when there is none.
#include <doctest/doctest.h>

#include "cached_calls.hpp"
#include "expect_error.hpp"
#include "test_allocator.hpp"

using namespace headwise;

namespace {

ModelOptions model_options(const std::string& isa, TestAllocator& allocator) {
  return {.isa = isa, .head_contribution = true, .allocator = allocator.get()};
}

}  // namespace

TEST_CASE("allocator: packed weights lie in it on every ISA, with the same results, and go back with the last copy") {
  Random random(1);
  const AttentionWeights weights = random_weights(grouped_config(), 1);
  const Tensor x = random_tensor(random, {2, 9, 24});
  const AttentionInputs inputs = inputs_of(x, x, x);
  for (const std::string& isa : running_isas()) {
    CAPTURE(isa);
    TestAllocator allocator;
    auto model = std::make_unique<MultiHeadAttention>(weights, model_options(isa, allocator));
    const std::size_t all = 4 * static_cast<std::size_t>(weights.query_weight.size() + weights.key_weight.size() +
                                                         weights.value_weight.size() + weights.output_weight.size());
    CHECK(allocator.held() >= all);
    const Results results = run(*model, inputs);
    auto copy = std::make_unique<MultiHeadAttention>(*model);
    model.reset();
    CHECK(allocator.held() >= all);
    CHECK(same_bits(run(*copy, inputs).output, results.output));
    CHECK(same_bits(run(MultiHeadAttention(weights, {.isa = isa}), inputs).output, results.output));
    copy.reset();
    CHECK(allocator.held() == 0);
    CHECK(!allocator.wrong());
  }
}

TEST_CASE("allocator: scratch lies in it and grows in it") {
  Random random(2);
  const MultiHeadAttention model(random_weights(grouped_config(), 1));
  TestAllocator allocator;
  {
    Session session(model, {.threads = 2, .allocator = allocator.get()});
    CHECK(allocator.held() == 0);
    std::size_t before = 0;
    for (const std::int64_t length : {3, 50, 200}) {
      const Tensor x = random_tensor(random, {2, length, 24});
      const AttentionInputs inputs = inputs_of(x, x, x);
      Results results = make_results(model, inputs);
      session.run(inputs, results.outputs());
      CHECK(allocator.held() > before);
      before = allocator.held();
      CHECK(same_bits(results.output, run(model, inputs).output));
    }
    Session moved = std::move(session);
    CHECK(allocator.held() == before);
  }
  CHECK(allocator.held() == 0);
  CHECK(!allocator.wrong());
}

TEST_CASE("allocator: a cache lies in it, and so does its fork") {
  const AttentionConfig config = grouped_config();
  TestAllocator allocator;
  {
    const KvCache cache(config, {.batch = 2, .capacity = 5, .allocator = allocator.get()});
    const std::size_t bytes = 4 * 2 * 2 * 5 * (6 + 6);
    CHECK(allocator.held() == bytes);
    CHECK(largest_difference(cache.keys(), Tensor({2, 2, 5, 6})) == 0);
    const KvCache fork = cache.fork();
    CHECK(allocator.held() == 2 * bytes);
    const KvCache empty(config, {.batch = 0, .capacity = 5, .allocator = allocator.get()});
    CHECK(empty.keys().data != nullptr);
  }
  CHECK(allocator.held() == 0);
  CHECK(!allocator.wrong());
}

TEST_CASE("allocator: none left is out_of_memory at every allocation, and nothing is lost") {
  const AttentionWeights weights = random_weights(grouped_config(), 1);
  for (const std::string& isa : running_isas()) {
    CAPTURE(isa);
    TestAllocator counting;
    MultiHeadAttention(weights, model_options(isa, counting));
    REQUIRE(counting.allocations() > 2);
    for (int n = 0; n < counting.allocations(); ++n) {
      TestAllocator allocator;
      allocator.fail_after = n;
      expect_error(ErrorCode::out_of_memory, {"the caller's allocator", "bytes"},
                   [&] { MultiHeadAttention(weights, model_options(isa, allocator)); });
      CHECK(allocator.held() == 0);
    }
  }
  for (const int n : {0, 1}) {
    TestAllocator allocator;
    allocator.fail_after = n;
    expect_error(ErrorCode::out_of_memory, {"the caller's allocator"},
                 [&] { KvCache(grouped_config(), {.batch = 2, .capacity = 5, .allocator = allocator.get()}); });
    CHECK(allocator.held() == 0);
  }
}

TEST_CASE("allocator: a session whose scratch could not grow serves again when there is memory") {
  Random random(3);
  const MultiHeadAttention model(random_weights(grouped_config(), 1));
  const Tensor x = random_tensor(random, {2, 9, 24});
  const AttentionInputs inputs = inputs_of(x, x, x);
  TestAllocator allocator;
  allocator.fail_after = 0;
  Session session(model, {.threads = 1, .allocator = allocator.get()});
  Results results = make_results(model, inputs);
  for (int call = 0; call < 2; ++call) {
    expect_error(ErrorCode::out_of_memory, {"the caller's allocator"}, [&] { session.run(inputs, results.outputs()); });
    CHECK(results.output.data()[0] == unwritten);
  }
  allocator.fail_after = -1;
  session.run(inputs, results.outputs());
  CHECK(same_bits(results.output, run(model, inputs).output));
}

TEST_CASE("allocator: half of one is refused, and so is memory that is not aligned") {
  const AttentionWeights weights = random_weights(grouped_config(), 1);
  const MultiHeadAttention model(weights);
  TestAllocator working;
  Allocator half = working.get(), other_half = working.get();
  half.release = nullptr;
  other_half.allocate = nullptr;
  for (const Allocator& allocator : {half, other_half}) {
    const auto refuse = [](const auto& call) { expect_error(ErrorCode::invalid_argument, {"both functions"}, call); };
    refuse([&] { MultiHeadAttention(weights, {.allocator = allocator}); });
    refuse([&] { MultiHeadAttention::without_projections(grouped_config(), {.allocator = allocator}); });
    refuse([&] { Session(model, {.allocator = allocator}); });
    refuse([&] { KvCache(grouped_config(), {.capacity = 5, .allocator = allocator}); });
  }
  TestAllocator crooked;
  crooked.misaligned = true;
  expect_error(ErrorCode::out_of_memory, {"no aligned"},
               [&] { KvCache(grouped_config(), {.capacity = 5, .allocator = crooked.get()}); });
  CHECK(crooked.held() == 0);
}
