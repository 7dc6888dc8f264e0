// A warm run allocates nothing in headwise. oneDNN, which multiplies where kernels have no product, allocates inside
// its own execute; how much is told apart by running the same products alone.
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <new>

#include "allocations.hpp"
#include "calls.hpp"
#include "isas.hpp"
#include "plan.hpp"

using namespace headwise;

namespace {

bool counting() {
  if (!counts_allocations) MESSAGE("skipped: a sanitizer owns the allocator of this build");
  return counts_allocations;
}

template <class Call>
std::int64_t allocations_of(const Call& call) {
  const std::int64_t before = allocations();
  call();
  return allocations() - before;
}

// Hides memory from the compiler, which otherwise drops an allocation that is freed at once.
void* kept(void* memory) {
  void* volatile hidden = memory;
  return hidden;
}

AttentionConfig layer_config() {
  AttentionConfig config;
  config.model_dim = 64;
  config.num_heads = 4;
  return config;
}

// How often a call allocates when it is warm: the same number each time.
std::int64_t warm_allocations(Session& session, const AttentionInputs& inputs, const AttentionOutputs& outputs) {
  session.run(inputs, outputs);
  session.run(inputs, outputs);
  const std::int64_t first = allocations_of([&] { session.run(inputs, outputs); });
  for (int repeat = 0; repeat < 5; ++repeat) {
    CHECK(allocations_of([&] { session.run(inputs, outputs); }) == first);
  }
  return first;
}

// What is allocated for the products of a self-attention layer, row for row as a thread of `plan` runs them.
std::int64_t product_allocations(const MultiHeadAttention& model, std::int64_t rows, std::int64_t chunk) {
  const projection::SingleThread guard;
  Tensor x = filled({chunk, 64}, 1), y({chunk, 4096}), scratch(DType::u8, {1 << 20});
  std::int64_t total = 0;
  for (const runtime::Product product : {runtime::Product::qkv, runtime::Product::output}) {
    projection::LinearCall call(*model.model().product(product));
    const auto run_all = [&] {
      for (std::int64_t at = 0; at < rows; at += chunk) {
        call.run({x.data(), std::min(chunk, rows - at), y.data()}, {}, scratch.data<std::uint8_t>());
      }
    };
    run_all();
    total += allocations_of(run_all);
  }
  return total;
}

}  // namespace

TEST_CASE("allocation: the counter sees every function") {
  if (!counting()) return;
  const auto aligned = std::align_val_t(64);
  CHECK(allocations_of([] { ::operator delete(kept(::operator new(8))); }) == 1);
  CHECK(allocations_of([&] { ::operator delete(kept(::operator new(64, aligned)), aligned); }) == 1);
  CHECK(allocations_of([] { std::free(kept(std::malloc(8))); }) == 1);
  CHECK(allocations_of([] { std::free(kept(std::aligned_alloc(64, 64))); }) == 1);
  CHECK(allocations_of([] { std::free(kept(std::calloc(2, 8))); }) == 1);
  void* memory = nullptr;
  CHECK(allocations_of([&] { CHECK(::posix_memalign(&memory, 64, 64) == 0); }) >= 1);
  std::free(memory);
  CHECK(allocations_of([] { Tensor tensor({3}); }) >= 1);
}

TEST_CASE("allocation: warm attention without projections allocates nothing at all") {
  if (!counting()) return;
  Random random(1);
  const Tensor x = random_tensor(random, {4, 6, 150, 32}), mask = random_tensor(random, {150, 150});
  AttentionInputs inputs = inputs_of(x, x, x);
  inputs.attention_mask = mask.view();
  inputs.causal = true;
  for (const std::string& isa : running_isas()) {
    const MultiHeadAttention model = heads_model(inputs, isa);
    for (const int threads : {1, 2}) {
      for (const Schedule schedule : {Schedule::wide, Schedule::deep}) {
        CAPTURE(isa);
        CAPTURE(threads);
        CAPTURE(int(schedule));
        Session session(model, {threads, schedule});
        Results results = make_results(model, inputs, {true, true});
        CHECK(warm_allocations(session, inputs, results.outputs()) == 0);
      }
    }
  }
}

// Counts the warm allocations of self-attention with all weights; all of them must be those of its products.
static void check_layer_allocations(const MultiHeadAttention& model, const Tensor& x, int threads) {
  const AttentionInputs inputs = inputs_of(x, x, x);
  Session session(model, {threads, Schedule::wide});
  Results results = make_results(model, inputs, {true, true});
  const std::int64_t counted = warm_allocations(session, inputs, results.outputs());
  runtime::Tables tables;
  runtime::Plan plan;
  plan.model = &model.model();
  runtime::read_request(model.model(), inputs, results.outputs(), tables, plan.request);
  runtime::make_plan(plan, tables, {threads, Schedule::wide});
  const std::int64_t rows = x.shape()[0] * x.shape()[1];
  CHECK(counted == product_allocations(model, rows, runtime::cut_product(plan, rows, 1).rows));
  if (model.model().kernels->multiply != nullptr) CHECK(counted == 0);
}

TEST_CASE("allocation: warm layers allocate nothing but what oneDNN allocates for their products") {
  if (!counting()) return;
  Random random(2);
  for (const std::string& isa : running_isas()) {
    const MultiHeadAttention model(random_weights(layer_config(), 2), {.isa = isa});
    for (const Dims& shape : {Dims{1, 8, 64}, Dims{2, 200, 64}, Dims{8, 128, 64}}) {
      const Tensor x = random_tensor(random, shape);
      for (const int threads : {1, 2}) {
        CAPTURE(isa);
        CAPTURE(to_string(shape));
        CAPTURE(threads);
        check_layer_allocations(model, x, threads);
      }
    }
  }
}

TEST_CASE("allocation: smaller shapes after a larger one find everything there") {
  if (!counting()) return;
  const Tensor memory = filled({1 << 16}, 0.5F);
  const MultiHeadAttention model = MultiHeadAttention::without_projections(layer_config());
  Session session(model, {2, Schedule::automatic});
  const auto call = [&](std::int64_t batch, std::int64_t length) {
    const TensorView x(memory.data(), DType::f32, {batch, 4, length, 16});
    Results results = make_results(model, inputs_of(x, x, x), {true, true});
    const std::int64_t needed = std::int64_t(session.explain(inputs_of(x, x, x), results.outputs()).scratch_bytes);
    return std::pair{needed, allocations_of([&] { session.run(inputs_of(x, x, x), results.outputs()); })};
  };
  const auto largest = call(4, 250);
  CHECK(largest.second > 0);
  for (const std::int64_t batch : {1, 2, 4}) {
    for (const std::int64_t length : {0, 1, 64, 249, 250}) {
      const auto [needed, count] = call(batch, length);
      CHECK(needed <= largest.first);
      CHECK(count == 0);
    }
  }
}

TEST_CASE(
    "allocation: scratch does not grow with the square of the length unless an average asks for a block of rows") {
  const MultiHeadAttention model = MultiHeadAttention::without_projections(layer_config());
  const Session session(model, {1, Schedule::automatic});
  const Tensor some({16});
  const auto scratch = [&](std::int64_t length) {
    const TensorView x(some.data(), DType::f32, {1, 4, length, 16}, {0, 0, 0, 1});
    Tensor output({1, 4, length, 16});
    return session.explain(inputs_of(x, x, x), {output.mutable_view(), {}, {}}).scratch_bytes;
  };
  const std::size_t once = scratch(4096), twice = scratch(8192);
  CHECK(twice <= 2 * once);
}
