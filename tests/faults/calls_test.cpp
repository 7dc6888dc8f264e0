// Memory that runs out in oneDNN, where it multiplies, and in a call that needs more than those before it.
#include "calls.hpp"
#include "each_failure.hpp"
#include "isas.hpp"

using namespace headwise;

namespace {

// The fastest ISA whose products are oneDNN's.
std::string onednn_isa() {
  for (const std::string& isa : running_isas()) {
    const MultiHeadAttention model = MultiHeadAttention::without_projections({.num_heads = 1, .head_dim = 1}, {isa});
    if (model.model().kernels->multiply == nullptr) return isa;
  }
  return "reference";
}

}  // namespace

TEST_CASE("out of memory: oneDNN has none while its primitives are made") {
  constexpr std::int64_t most = 200;  // of thousands; the first ones are of all kinds
  const AttentionWeights weights = random_weights({.model_dim = 8, .num_heads = 2}, 1);
  const ModelOptions options{onednn_isa()};
  for (const Failure::After after : {Failure::After::succeed, Failure::After::fail}) {
    const auto create = [&](Fault& fault) { fault([&] { MultiHeadAttention model(weights, options); }); };
    CHECK(fail_each_allocation({after, Failure::Of::onednn}, create, most) == most);
  }
}

TEST_CASE("out of memory: oneDNN has none while a call runs, on one thread and on two") {
  const MultiHeadAttention model(random_weights({.model_dim = 64, .num_heads = 2}, 1), {onednn_isa()});
  Random random(1);
  const Tensor x = random_tensor(random, {2, 70, 64});
  const Results expected = run(model, inputs_of(x, x, x));
  for (const int threads : {1, 2}) {
    const auto call = [&](Fault& fault) {
      Session session(model, {threads, Schedule::wide});
      Results results = make_results(model, inputs_of(x, x, x));
      fault([&] { session.run(inputs_of(x, x, x), results.outputs()); });
      session.run(inputs_of(x, x, x), results.outputs());
      CHECK(same_bits(results.output, expected.output));
    };
    for (const Failure::After after : {Failure::After::succeed, Failure::After::fail}) {
      CHECK(fail_each_allocation({after, Failure::Of::onednn}, call) > 10);
    }
  }
}

TEST_CASE("out of memory: a session whose larger call failed still runs the smaller one before it") {
  const MultiHeadAttention model(random_weights({.model_dim = 32, .num_heads = 2}, 1));
  Random random(1);
  const Tensor small = random_tensor(random, {1, 4, 32}), large = random_tensor(random, {2, 300, 32});
  const Results expected = run(model, inputs_of(small, small, small));
  fail_each_allocation([&](Fault& fault) {
    Session session(model, {.threads = 2});
    Results small_results = make_results(model, inputs_of(small, small, small));
    Results large_results = make_results(model, inputs_of(large, large, large));
    session.run(inputs_of(small, small, small), small_results.outputs());
    fault([&] { session.run(inputs_of(large, large, large), large_results.outputs()); });
    small_results.output = filled(small.shape(), unwritten);
    session.run(inputs_of(small, small, small), small_results.outputs());
    CHECK(same_bits(small_results.output, expected.output));
  });
}
