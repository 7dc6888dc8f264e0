// Every allocation of making models and sessions fails once, for random layers.
#include "each_failure.hpp"
#include "isas.hpp"
#include "run.hpp"

using namespace headwise;
using namespace differential;

namespace {

constexpr std::uint64_t seed = 11;

// Every tenth layer only where oneDNN multiplies: it takes milliseconds for each of its primitives.
template <class Use>
void for_each_layer(std::int64_t count, const Use& use) {
  for (std::int64_t number = 0; number < count; ++number) {
    const Layer layer = make_case(seed, number).layer;
    for (const std::string& isa : running_isas()) {
      CAPTURE(number);
      CAPTURE(isa);
      const bool slow = layer.projected && (isa == "sse2" || isa == "reference");
      if (!slow || number % 10 == 0) use(layer, isa);
    }
  }
}

}  // namespace

TEST_CASE("out of memory: making a model") {
  for_each_layer(20, [&](const Layer& layer, const std::string& isa) {
    CHECK(fail_each_allocation([&](Fault& fault) { fault([&] { make_model(layer, isa); }); }) > 0);
  });
}

TEST_CASE("out of memory: making a session") {
  for_each_layer(10, [&](const Layer& layer, const std::string& isa) {
    const MultiHeadAttention model = make_model(layer, isa);
    for (const int threads : {0, 1, 3}) {
      const auto create = [&](Fault& fault) { fault([&] { Session(model, {.threads = threads}); }); };
      CHECK(fail_each_allocation(create) > 0);
    }
  });
}

TEST_CASE("out of memory: refusing a layer") {
  AttentionWeights wrong = random_weights({.model_dim = 8, .num_heads = 2}, 1);
  wrong.key_weight = Tensor({3, 8});
  const auto create = [&](Fault& fault) {
    fault([&] { MultiHeadAttention model(wrong); }, ErrorCode::invalid_argument);
  };
  CHECK(fail_each_allocation(create) > 0);
}
