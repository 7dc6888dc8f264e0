// Random calls over all masks, layouts and options, held against float64 on every ISA.
#include <doctest/doctest.h>

#include <cstdlib>

#include "isas.hpp"
#include "random_call.hpp"

namespace {

using namespace headwise;

std::int64_t number_from(const char* variable, std::int64_t otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::atoll(text) : otherwise;
}

// Weights are at most 1; eight units in the last place of 1.
void check_weights(StridedTensor& tensor, const std::vector<double>& expected) {
  std::vector<float> actual;
  CHECK(RandomCall::take_elements(tensor, actual));
  REQUIRE(actual.size() == expected.size());
  UnitError error;
  for (std::size_t i = 0; i < actual.size(); ++i) add_error(error, double(actual[i]), expected[i], 1);
  CHECK(error.max <= 8);
}

// The sum over all calls of an ISA; the bound on the root mean square is one of the ensemble.
struct Total {
  UnitError all;
  void add(const UnitError& one) {
    all.max = one.max <= all.max ? all.max : one.max;
    all.squares += one.squares;
    all.count += one.count;
  }
};

void check_output(RandomCall& call, const Float64Results& expected, Total& total) {
  std::vector<float> actual;
  CHECK(RandomCall::take_elements(call.output, actual));  // nothing outside the view is written
  REQUIRE(actual.size() == expected.output.size());
  UnitError error;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    add_error(error, double(actual[i]), expected.output[i], expected.unit[i]);
  }
  CHECK(error.max <= 8);
  total.add(error);
}

void check_call(RandomCall& call, const Float64Results& expected, const std::string& isa, Total& total) {
  const auto model = MultiHeadAttention::without_projections(call.config, {isa, false});
  Session session(model, call.options);
  call.clear_outputs();
  session.run(call.inputs, call.outputs);
  check_output(call, expected, total);
  if (call.outputs.attention.given) check_weights(call.attention, expected.weights);
  if (call.outputs.average_attention.given) {
    check_weights(call.average, average_over_heads(expected.weights, call.batch, call.config.num_heads));
  }
}

}  // namespace

TEST_CASE("random masks, layouts and options agree with float64 on every ISA") {
  const auto seed = static_cast<std::uint64_t>(number_from("HEADWISE_TEST_SEED", 20250101));
  const std::int64_t only = number_from("HEADWISE_TEST_CASE", -1);
  const std::vector<std::string> isas = running_isas();
  std::vector<Total> totals(isas.size());
  for (std::int64_t number = std::max<std::int64_t>(only, 0); number < (only < 0 ? 400 : only + 1); ++number) {
    RandomCall call = make_random_call(seed, number);
    const Float64Results expected = attend_float64(call.config, call.inputs);
    for (std::size_t i = 0; i < isas.size(); ++i) {
      INFO("repeat with HEADWISE_TEST_SEED=" << seed << " HEADWISE_TEST_CASE=" << number << " test_runtime, ISA "
                                             << isas[i] << call.to_string());
      check_call(call, expected, isas[i], totals[i]);
    }
  }
  for (std::size_t i = 0; i < isas.size(); ++i) {
    INFO("ISA " << isas[i] << ", HEADWISE_TEST_SEED=" << seed);
    CHECK(totals[i].all.rms() <= 1);
  }
}
