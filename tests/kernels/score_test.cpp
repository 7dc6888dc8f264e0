// Scores at each stage, dead keys included.
#include "random_case.hpp"

using namespace headwise::kernels;

namespace {

constexpr std::uint64_t seed = 815;

// Errors are counted in eps of the largest number that a score is made of.
void check_scores(const KernelTable& table, HeadData& data, ScoreStage stage) {
  const HeadCase& c = data.shape;
  for (float& x : data.weights) x = 7;
  run_score(table, data, stage);
  double worst = 0;
  for (std::int64_t i = 0; i < c.queries; ++i) {
    for (std::int64_t j = 0; j < c.columns(); ++j) {
      const double truth = score_of(data, i, j, stage);
      const double actual = double(data.w(i, j));
      if (std::isnan(truth) || std::isinf(truth)) {
        REQUIRE((std::isnan(truth) ? std::isnan(actual) : actual == truth));
        continue;
      }
      const double error = std::fabs(actual - truth) / (8 + std::fabs(truth));
      worst = error <= worst ? worst : error;
    }
  }
  const std::string isa = table.isa;
  CAPTURE(isa);
  CHECK(worst <= 2 * 0x1p-23);
}

}  // namespace

TEST_CASE("score: all stages of random heads") {
  CAPTURE(seed);
  for (const auto* table : runnable_tables()) {
    for (std::uint64_t number = 0; number < 150; ++number) {
      CAPTURE(number);
      Random random(seed + number);
      RandomHead head(random);
      for (const ScoreStage stage : {ScoreStage::scaled, ScoreStage::capped, ScoreStage::masked})
        check_scores(*table, *head.data, stage);
    }
  }
}

TEST_CASE("score: the masked stage reads no key that all queries have dead") {
  for (const auto* table : runnable_tables()) {
    HeadData data(HeadCase(3, 150, 4, 4));
    for (float& x : data.key) x = std::nanf("");
    data.shape.mask.key_end = 0;
    run_score(*table, data, ScoreStage::masked);
    for (const float x : data.weights) REQUIRE(x == -INFINITY);
    run_score(*table, data, ScoreStage::scaled);
    for (const float x : data.weights) REQUIRE(std::isnan(x));
  }
}
