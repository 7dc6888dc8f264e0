// What EncoderSession::explain tells.
#include <doctest/doctest.h>

#include "models.hpp"

using namespace headwise;

namespace {

Explanation explained(const Encoder& encoder, const std::vector<std::int64_t>& lengths, const SessionOptions& options) {
  const Tokens tokens(lengths, 50);
  EncoderResults results(encoder.config(), tokens);
  return EncoderSession(encoder, options).explain(tokens.inputs(), results.outputs());
}

const StepInfo& step(const Explanation& plan, const std::string& name) {
  for (const StepInfo& info : plan.steps) {
    if (info.name == name) return info;
  }
  FAIL("no step " << name);
  return plan.steps.front();
}

}  // namespace

TEST_CASE("explain: the steps in order, those of layers once, with what they cost in all layers") {
  const ModelFolder folder;
  const Explanation plan = explained(folder.load(), {16, 20}, {.threads = 2});
  std::vector<std::string> names;
  for (const StepInfo& info : plan.steps) names.push_back(info.name);
  CHECK(names == std::vector<std::string>{"EmbedTokens", "StoreStates", "ProjectQkv", "Attend", "ProjectOutput",
                                          "ClearPadding", "AddNorm", "FeedForwardUp", "FeedForwardDown", "AddNorm",
                                          "StoreStates", "StoreHidden", "Pool"});
  CHECK(step(plan, "ProjectQkv").flops == 3 * 2 * 36 * 64.0 * 192);
  CHECK(step(plan, "FeedForwardUp").flops == 3 * 2 * 36 * 64.0 * 300);
  CHECK(step(plan, "FeedForwardDown").flops == 3 * 2 * 36 * 64.0 * 300);
  CHECK(plan.live_pairs == 3 * 4 * (16.0 * 16 + 20 * 20));
  CHECK(plan.to_string().find("FeedForwardUp") != std::string::npos);
}

TEST_CASE("explain: schedules are those that are asked for, and threads those that the whole work is worth") {
  const ModelFolder folder;
  const Encoder encoder = folder.load();
  CHECK(explained(encoder, {64, 64, 64, 64}, {.threads = 2, .schedule = Schedule::deep}).schedule == "deep");
  CHECK(explained(encoder, {64, 64, 64, 64}, {.threads = 2, .schedule = Schedule::wide}).schedule == "wide");
  CHECK(explained(encoder, {64}, {.threads = 1}).schedule == "inline");
  // One row is 0.25 MFLOP in all layers: attention alone would not be worth two threads.
  CHECK(explained(encoder, {30}, {.threads = 2}).threads == 2);
  CHECK(explained(encoder, {2}, {.threads = 2}).threads == 1);
}

TEST_CASE("explain: scratch holds the rows between the layers and grows with the batch") {
  const ModelFolder folder;
  const Encoder encoder = folder.load();
  const auto scratch = [&](std::int64_t length) { return explained(encoder, {length}, {.threads = 1}).scratch_bytes; };
  CHECK(scratch(200) >= (200 * 64 * 2 + 200 * 300) * sizeof(float));
  CHECK(scratch(300) > scratch(200));
}
