// What models and sessions refuse when they are made.
#include <doctest/doctest.h>

#include <climits>
#include <cstdlib>
#include <limits>
#include <optional>

#include "calls.hpp"
#include "expect_error.hpp"

using namespace headwise;

namespace {

constexpr auto invalid = ErrorCode::invalid_argument;

AttentionConfig small_config() {
  AttentionConfig config;
  config.model_dim = 8;
  config.num_heads = 2;
  return config;
}

template <class Spoil>
void expect_weights_refused(const std::vector<std::string>& words, const Spoil& spoil) {
  AttentionWeights weights = random_weights(small_config(), 1);
  spoil(weights);
  expect_error(invalid, words, [&] { MultiHeadAttention model(weights); });
}

// An environment variable for the time of a test.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    const char* before = std::getenv(name);
    if (before != nullptr) before_ = before;
    ::setenv(name, value, 1);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

}  // namespace

TEST_CASE("model errors: weights that are missing, of another type or shape") {
  const std::pair<const char*, Tensor AttentionWeights::*> weights[] = {
      {"query_weight", &AttentionWeights::query_weight},
      {"key_weight", &AttentionWeights::key_weight},
      {"value_weight", &AttentionWeights::value_weight},
      {"output_weight", &AttentionWeights::output_weight}};
  const std::pair<const char*, Tensor AttentionWeights::*> biases[] = {{"query_bias", &AttentionWeights::query_bias},
                                                                       {"key_bias", &AttentionWeights::key_bias},
                                                                       {"value_bias", &AttentionWeights::value_bias},
                                                                       {"output_bias", &AttentionWeights::output_bias}};
  for (const auto& [name, member] : weights) {
    const auto set = [m = member](Tensor tensor) { return [m, tensor](AttentionWeights& w) { w.*m = tensor; }; };
    expect_weights_refused({name, "missing", "[8, 8]"}, set({}));
    expect_weights_refused({name, "f32 [8, 7]", "expected f32 [8, 8]"}, set(Tensor({8, 7})));
    expect_weights_refused({name, "f64 [8, 8]", "expected f32 [8, 8]"}, set(Tensor(DType::f64, {8, 8})));
  }
  for (const auto& [name, member] : biases) {
    const auto set = [m = member](Tensor tensor) { return [m, tensor](AttentionWeights& w) { w.*m = tensor; }; };
    expect_weights_refused({name, "[9]", "expected f32 [8]"}, set(Tensor({9})));
    expect_weights_refused({name, "f64 [8]", "expected f32 [8]"}, set(Tensor(DType::f64, {8})));
  }
}

TEST_CASE("model errors: configs") {
  expect_weights_refused({"divisible"}, [](AttentionWeights& w) { w.config.num_heads = 3; });
  expect_weights_refused({"num_heads"}, [](AttentionWeights& w) { w.config.num_heads = 0; });
  expect_weights_refused({"model_dim is negative"}, [](AttentionWeights& w) { w.config.model_dim = -8; });
  expect_weights_refused({"scale"},
                         [](AttentionWeights& w) { w.config.scale = std::numeric_limits<float>::infinity(); });
  AttentionConfig none;
  expect_error(invalid, {"num_heads"}, [&] { MultiHeadAttention::without_projections(none); });
  none.num_heads = 2;
  expect_error(invalid, {"head_dim"}, [&] { MultiHeadAttention::without_projections(none); });
  none.num_heads = std::int64_t{1} << 62;
  none.head_dim = 4;
  expect_error(invalid, {}, [&] { MultiHeadAttention::without_projections(none); });
}

TEST_CASE("model errors: self_attention_only needs inputs of one width") {
  AttentionConfig config = small_config();
  config.key_input_dim = 6;
  const AttentionWeights weights = random_weights(config, 1);
  expect_error(invalid, {"self_attention_only", "one width"}, [&] { MultiHeadAttention model(weights, {"", true}); });
}

TEST_CASE("model errors: unknown instruction sets, by option and by HEADWISE_ISA") {
  for (const char* isa : {"avx1024", "AVX2", " ", "referenc"}) {
    expect_error(invalid, {isa, "auto", "reference"}, [&] {
      MultiHeadAttention::without_projections(small_config(), {isa, false});
    });
    expect_error(invalid, {isa}, [&] { (void)resolve_isa(isa); });
    const Environment variable("HEADWISE_ISA", isa);
    expect_error(invalid, {isa, "HEADWISE_ISA"}, [&] { MultiHeadAttention::without_projections(small_config()); });
    CHECK(std::string(MultiHeadAttention::without_projections(small_config(), {"reference", false}).isa()) ==
          "reference");
  }
}

TEST_CASE("HEADWISE_ISA chooses where the option says nothing") {
  const std::string best = resolve_isa("auto");
  {
    const Environment variable("HEADWISE_ISA", "reference");
    CHECK(resolve_isa("") == "reference");
    CHECK(resolve_isa("auto") == best);
    CHECK(std::string(MultiHeadAttention::without_projections(small_config()).isa()) == "reference");
  }
  for (const char* automatic : {"", "auto"}) {
    const Environment variable("HEADWISE_ISA", automatic);
    CHECK(resolve_isa("") == best);
  }
}

TEST_CASE("model errors: instruction sets that this CPU lacks") {
  for (const IsaInfo& isa : list_isas()) {
    if (isa.present) continue;
    expect_error(ErrorCode::unsupported, {isa.name}, [&] {
      MultiHeadAttention::without_projections(small_config(), {isa.name, false});
    });
  }
}

TEST_CASE("D10: thread counts of a session") {
  const MultiHeadAttention model = MultiHeadAttention::without_projections(small_config(), {"reference", false});
  for (const int threads : {-1, INT_MIN, Session::max_threads + 1, 99999, INT_MAX}) {
    expect_error(invalid, {"threads", std::to_string(threads), "1024"}, [&] {
      Session(model, {threads, Schedule::automatic});
    });
  }
  CHECK(Session(model, {0, Schedule::automatic}).threads() == default_threads());
  CHECK(Session(model).threads() == default_threads());
  CHECK(Session(model, {1024, Schedule::automatic}).threads() == 1024);
}
