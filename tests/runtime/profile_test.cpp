// Session::profile: a call as run does it, and what it took.
#include "headwise/profile.hpp"

#include <doctest/doctest.h>

#include <numeric>

#include "allocations.hpp"
#include "calls.hpp"
#include "counters.hpp"
#include "headwise/error.hpp"

using namespace headwise;

namespace {

constexpr double nothing = 1e-9;  // seconds that sums may differ by

AttentionConfig layer_config() {
  AttentionConfig config;
  config.model_dim = 96;
  config.num_heads = 6;
  return config;
}

// Large enough for several threads, in sequences that may travel deep.
struct Layer {
  MultiHeadAttention model{random_weights(layer_config(), 1)};
  Random random{1};
  Tensor x = random_tensor(random, {6, 64, 96});
  AttentionInputs inputs = inputs_of(x, x, x);
  Want want{};

  Profile profile(Session& session, const ProfileOptions& options = {}) {
    Results results = make_results(model, inputs, want);
    return session.profile(inputs, results.outputs(), options);
  }
  Profile profile(Schedule schedule, int threads, const ProfileOptions& options = {}) {
    Session session(model, {threads, schedule});
    return profile(session, options);
  }
};

std::vector<Profile> profiles_of_all_schedules(Layer& layer) {
  return {layer.profile(Schedule::wide, 1), layer.profile(Schedule::deep, 1), layer.profile(Schedule::wide, 2),
          layer.profile(Schedule::deep, 2), layer.profile(Schedule::wide, 3)};
}

double step_seconds(const Profile& profile, std::size_t thread) {
  double sum = 0;
  for (const ProfileStep& step : profile.steps) sum += step.threads[thread].seconds;
  return sum;
}

const ProfileStep& step_named(const Profile& profile, const std::string& name) {
  for (std::size_t i = 0; i < profile.steps.size(); ++i) {
    if (profile.plan.steps[i].name == name) return profile.steps[i];
  }
  FAIL("no step " << name);
  return profile.steps.front();
}

const StepPart* find_part(const ProfileStep& step, const std::string& name) {
  for (const StepPart& part : step.parts) {
    if (part.name == name) return &part;
  }
  return nullptr;
}

void check_chain(const Profile& profile, int thread) {
  double at = 0;
  for (const ProfileSpan& span : profile.spans) {
    if (span.thread != thread) continue;
    CHECK(span.start == doctest::Approx(at));
    CHECK(span.end >= span.start);
    CHECK((span.kind == SpanKind::work) == (span.units > 0 || (span.step >= 0 && span.kind != SpanKind::wait)));
    at = span.end;
  }
  CHECK(at == doctest::Approx(profile.seconds));
}

}  // namespace

TEST_CASE("the spans of each thread fill the call from its begin to its end") {
  Layer layer;
  for (const Profile& profile : profiles_of_all_schedules(layer)) {
    CAPTURE(profile.plan.schedule);
    REQUIRE(profile.threads.size() == static_cast<std::size_t>(profile.plan.threads));
    CHECK(profile.seconds > 0);
    CHECK(profile.dropped_spans == 0);
    for (int t = 0; t < profile.plan.threads; ++t) check_chain(profile, t);
  }
}

TEST_CASE("time in steps, around them and waiting adds up to the call for each thread") {
  Layer layer;
  for (const Profile& profile : profiles_of_all_schedules(layer)) {
    for (std::size_t t = 0; t < profile.threads.size(); ++t) {
      const ThreadTime& rest = profile.threads[t];
      CHECK(step_seconds(profile, t) + rest.call + rest.waiting == doctest::Approx(profile.seconds));
      CHECK((rest.call > 0) == (t == 0));
    }
  }
}

TEST_CASE("a wide thread meets the steps once and in order, a deep one once a slab") {
  Layer layer;
  for (const Profile& profile : profiles_of_all_schedules(layer)) {
    const int steps = static_cast<int>(profile.steps.size());
    std::vector<int> next(profile.threads.size(), 0);
    for (const ProfileSpan& span : profile.spans) {
      if (span.kind != SpanKind::work) continue;
      int& expected = next[static_cast<std::size_t>(span.thread)];
      CHECK(span.step == expected % steps);
      ++expected;
    }
    const int slabs = std::accumulate(next.begin(), next.end(), 0) / steps;
    const bool deep = profile.plan.schedule == "deep";
    CHECK((deep ? slabs >= profile.plan.threads : slabs == profile.plan.threads));
  }
}

TEST_CASE("each thread of a wide plan waits behind each step, a deep one for no step") {
  Layer layer;
  for (const Profile& profile : profiles_of_all_schedules(layer)) {
    const bool waits = profile.plan.schedule == "wide";
    for (std::size_t i = 0; i < profile.steps.size(); ++i) {
      for (const StepTime& time : profile.steps[i].threads) CHECK((time.waiting > 0) == waits);
    }
  }
}

TEST_CASE("the plan of a profile is that of explain, and all units are told") {
  Layer layer;
  Session session(layer.model, {2, Schedule::wide});
  Results results = make_results(layer.model, layer.inputs);
  const Explanation told = session.explain(layer.inputs, results.outputs());
  const Profile profile = layer.profile(session);
  REQUIRE(profile.steps.size() == told.steps.size());
  CHECK(profile.plan.to_string() == told.to_string());
  const std::int64_t block = layer.model.model().kernels->query_block;
  CHECK(step_named(profile, "Attend").units() == 6 * 6 * ((64 + block - 1) / block));
  CHECK(step_named(profile, "ProjectQkv").units() > 0);
}

TEST_CASE("profiling changes no bit of any result") {
  Layer layer;
  layer.want = {true, true};
  layer.inputs.causal = true;
  for (const Schedule schedule : {Schedule::wide, Schedule::deep}) {
    Session session(layer.model, {2, schedule});
    Results expected = make_results(layer.model, layer.inputs, layer.want);
    Results results = make_results(layer.model, layer.inputs, layer.want);
    session.run(layer.inputs, expected.outputs());
    session.profile(layer.inputs, results.outputs(), {.counters = true});
    CHECK(same_bits(results.output, expected.output));
    CHECK(same_bits(results.attention, expected.attention));
    CHECK(same_bits(results.average, expected.average));
  }
}

TEST_CASE("spans without room are counted, and the sums miss nothing") {
  Layer layer;
  const Profile all = layer.profile(Schedule::deep, 1);
  const Profile few = layer.profile(Schedule::deep, 1, {.max_spans = 5});
  CHECK(few.spans.size() == 5);
  CHECK(few.dropped_spans == static_cast<std::int64_t>(all.spans.size()) - 5);
  for (std::size_t i = 0; i < all.steps.size(); ++i) CHECK(few.steps[i].units() == all.steps[i].units());
  CHECK(step_seconds(few, 0) + few.threads[0].call + few.threads[0].waiting == doctest::Approx(few.seconds));
  // A session that kept many may keep few, and many again.
  Session session(layer.model, {1, Schedule::deep});
  for (const std::int64_t most : {100, 3, 100}) {
    CHECK(layer.profile(session, {.max_spans = most}).spans.size() == std::min<std::size_t>(all.spans.size(), most));
  }
}

TEST_CASE("attention falls into parts that add up to it") {
  Layer layer;
  for (const Profile& profile : profiles_of_all_schedules(layer)) {
    const ProfileStep& attend = step_named(profile, "Attend");
    double seconds = 0;
    double flops = 0;
    for (const StepPart& part : attend.parts) seconds += part.seconds, flops += part.flops;
    CHECK(seconds == doctest::Approx(attend.seconds()).epsilon(nothing));
    CHECK(flops == doctest::Approx(profile.plan.steps[1].flops));
    CHECK(step_named(profile, "ProjectOutput").parts.empty());
    for (const char* name : {"keys", "QK^T", "softmax", "PV", "edges"}) CHECK(find_part(attend, name) != nullptr);
    for (const char* name : {"modifiers", "weights"}) CHECK(find_part(attend, name) == nullptr);
  }
}

TEST_CASE("parts show what was asked for") {
  Layer layer;
  layer.want = {true, false};
  layer.inputs.causal = true;
  const ProfileStep attend = step_named(layer.profile(Schedule::wide, 1), "Attend");
  REQUIRE(find_part(attend, "modifiers") != nullptr);
  REQUIRE(find_part(attend, "weights") != nullptr);
  CHECK(find_part(attend, "weights")->bytes > 0);
}

TEST_CASE("few queries have the same parts, the reference kernel none") {
  Layer layer;
  Tensor query = random_tensor(layer.random, {6, 1, 96});
  layer.inputs = inputs_of(query, layer.x, layer.x);
  const ProfileStep slices = step_named(layer.profile(Schedule::wide, 1), "AttendSlices");
  for (const char* name : {"keys", "QK^T", "softmax", "PV"}) CHECK(find_part(slices, name) != nullptr);
  layer.model = MultiHeadAttention(random_weights(layer_config(), 1), {.isa = "reference"});
  const ProfileStep whole = step_named(layer.profile(Schedule::wide, 1), "Attend");
  CHECK(whole.parts.empty());
  CHECK(whole.seconds() > 0);
}

TEST_CASE("a call that fails leaves no trace in the next one") {
  Layer layer;
  Session session(layer.model, {1, Schedule::wide});
  Results results = make_results(layer.model, layer.inputs);
  AttentionInputs wrong = layer.inputs;
  wrong.query = {};
  CHECK_THROWS_AS(session.profile(wrong, results.outputs(), {}), Error);
  CHECK_THROWS_AS(session.profile(layer.inputs, results.outputs(), {.max_spans = 0}), Error);
  CHECK_THROWS_AS(session.profile(layer.inputs, results.outputs(), {.max_spans = 1 << 25}), Error);
  session.run(layer.inputs, results.outputs());
  const Profile after = layer.profile(session);
  CHECK(after.spans.size() == 2 + after.steps.size());
  check_chain(after, 0);
}

TEST_CASE("counters are told or their lack is") {
  Layer layer;
  Session session(layer.model, {2, Schedule::wide});
  CHECK(layer.profile(session).counters.empty());
  const Profile profile = layer.profile(session, {.counters = true});
  REQUIRE(profile.counters.size() == 4);
  for (const ProfileCounter& counter : profile.counters) {
    CAPTURE(counter.name);
    CHECK(counter.missing.empty() == (counter.steps.size() == profile.steps.size()));
    for (const double count : counter.steps) CHECK(count >= 0);
    if (counter.missing.empty() && counter.name != "page faults" && counter.name != "cache misses") {
      CHECK(counter.steps[0] > 0);
    }
  }
}

TEST_CASE("a counter counts what its thread does") {
  constexpr std::size_t page_faults = 3;
  if (!runtime::counter_missing(page_faults).empty()) {
    MESSAGE("skipped: this system lets nobody count");
    return;
  }
  runtime::ThreadCounters counters;
  counters.open();
  counters.take();
  std::vector<char> fresh(std::size_t{64} << 20, 1);
  CHECK(counters.take()[page_faults] >= 16);  // 4 KiB or huge pages
  CHECK(counters.take()[page_faults] < 16);
}

TEST_CASE("a run between profiles allocates as little as ever") {
  if (!counts_allocations) return;
  Layer layer;
  Session session(layer.model, {1, Schedule::wide});
  Results results = make_results(layer.model, layer.inputs);
  const auto allocations_of_run = [&] {
    const std::int64_t before = allocations();
    session.run(layer.inputs, results.outputs());
    return allocations() - before;
  };
  session.run(layer.inputs, results.outputs());
  const std::int64_t warm = allocations_of_run();
  session.profile(layer.inputs, results.outputs(), {});
  CHECK(allocations_of_run() == warm);
}
