// The softmax inside the kernels, through the public call: A32, A35, A37.
#include "attend.hpp"
#include "bug_case.hpp"
#include "isas.hpp"

using namespace headwise;

namespace {

// Weights of a row of scores, given as keys under a query of 1, or as an additive mask under a query of 0.
std::vector<float> weights_of(const std::vector<float>& scores, const std::string& isa, bool as_mask = false) {
  const auto n = static_cast<std::int64_t>(scores.size());
  Tensor query = filled({1, 1, 1, 1}, as_mask ? 0 : 1), row({1, 1, n, 1}), other = filled({1, 1, n, 1}, 1);
  std::copy(scores.begin(), scores.end(), row.data());
  const Tensor mask = copy_of(TensorView(row.view().data, DType::f32, {n}));
  AttentionInputs inputs = inputs_of(query, as_mask ? other : row, other);
  if (as_mask) inputs.attention_mask = mask.view();
  const Results results = run(heads_model(inputs, isa, 1.0F), inputs, {true, false});
  return {results.attention.data(), results.attention.data() + n};
}

bool equal_bits(float a, float b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

// w(x)/w(0) against eˣ; below the normal numbers the weight may also be 0.
void check_ratio(float weight, float weight_of_zero, double x) {
  CAPTURE(x);
  const double right = std::exp(x) * double(weight_of_zero);
  CHECK(std::fabs(double(weight) - right) <= (right < 2e-38 ? 0x1p-126 : 2e-6 * right));
}

// [0, x, x, …]: all x get the same bits. [0, x, others …]: neighbours that take other branches do not matter.
void check_lanes(const std::vector<float>& list, float x, std::size_t length, const std::string& isa) {
  CAPTURE(length);
  std::vector<float> same(length, x), mixed(length, x);
  same[0] = mixed[0] = 0;
  for (std::size_t i = 2; i < length; ++i) mixed[i] = list[i % list.size()];
  const std::vector<float> of_same = weights_of(same, isa), of_mixed = weights_of(mixed, isa);
  for (std::size_t i = 1; i < length; ++i) {
    check_ratio(of_same[i], of_same[0], double(x));
    CHECK(equal_bits(of_same[i], of_same[1]));
  }
  check_ratio(of_mixed[1], of_mixed[0], double(x));
  for (std::size_t i = 1; i < length; ++i) {
    if (mixed[i] == x) CHECK(equal_bits(of_mixed[i], of_mixed[1]));
  }
}

// The first and the last number that an exp of n lanes gives, whatever stands between them.
void check_exp_positions(const kernels::KernelTable& table, const std::vector<float>& list, float x) {
  float alone = 0;
  table.exp(&x, &alone, 1);
  for (std::size_t length = 1; length <= 40; ++length) {
    for (std::size_t at = 0; at < length; ++at) {
      std::vector<float> in(length), out(length);
      for (std::size_t i = 0; i < length; ++i) in[i] = list[(i + at) % list.size()];
      in[at] = x;
      table.exp(in.data(), out.data(), static_cast<std::int64_t>(length));
      CHECK(equal_bits(out[at], alone));
    }
  }
}

}  // namespace

TEST_CASE("A32: scores of any size, as keys and as a mask") {
  const Json json = read_case("A32");
  for (const std::string& isa : running_isas()) {
    for (const bool as_mask : {false, true}) {
      for (std::size_t r = 0; r < 4; ++r) {
        CAPTURE(isa);
        CAPTURE(as_mask);
        CAPTURE(r);
        std::vector<double> scores;
        append_numbers(json["inputs"]["scores_via_k"][r], scores);
        const std::vector<float> w = weights_of({scores.begin(), scores.end()}, isa, as_mask);
        double out = 0;
        for (std::size_t j = 0; j < 3; ++j) out += double(w[j]) * json["inputs"]["v"][j].get<double>();
        CHECK(std::fabs(out - json["expected"]["out"][r].get<double>()) <= 2e-5);
      }
    }
  }
}

TEST_CASE("A05 A10: a constant added to a whole row of a mask changes nothing, up to the largest float") {
  constexpr float largest = std::numeric_limits<float>::max();
  for (const std::string& isa : running_isas()) {
    CAPTURE(isa);
    for (const float constant : {0.0F, 1.0F, -3.0F, 64.0F, -1000.0F}) {
      const std::vector<float> w = weights_of({0.5F + constant, -0.25F + constant, 1.5F + constant}, isa, true);
      const std::vector<float> expected = weights_of({0.5F, -0.25F, 1.5F}, isa, true);
      for (std::size_t j = 0; j < 3; ++j) CHECK(std::fabs(w[j] - expected[j]) <= 1e-6F);
    }
    for (std::size_t n = 1; n <= 35; ++n) {
      for (const float w : weights_of(std::vector<float>(n, -largest), isa, true)) {
        CHECK(std::fabs(w * float(n) - 1) <= 1e-6F);
      }
    }
  }
}

TEST_CASE("A35: dead keys weigh exactly nothing, however far the live ones are below them") {
  constexpr float dead = -std::numeric_limits<float>::infinity();
  for (const std::string& isa : running_isas()) {
    CAPTURE(isa);
    for (std::size_t n = 2; n <= 40; ++n) {
      std::vector<float> scores(n, dead);
      scores[n / 2] = -1000;
      const std::vector<float> w = weights_of(scores, isa, true);
      for (std::size_t j = 0; j < n; ++j) CHECK(w[j] == (j == n / 2 ? 1.0F : 0.0F));
    }
  }
}

TEST_CASE("A37: e^x does not depend on the neighbours of x") {
  const Json json = read_case("A37");
  std::vector<double> numbers;
  append_numbers(json["inputs"]["x"], numbers);
  const std::vector<float> list(numbers.begin(), numbers.end());
  for (const std::string& isa : running_isas()) {
    CAPTURE(isa);
    for (const float x : list) {
      CAPTURE(x);
      for (std::size_t length = 2; length <= 17; ++length) check_lanes(list, x, length, isa);
      check_exp_positions(*kernels::find_kernels(isa.c_str()), list, x);
    }
  }
}
