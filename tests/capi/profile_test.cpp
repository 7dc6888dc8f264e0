// Explanations and profiles through C.
#include "c_objects.hpp"

using namespace headwise;

namespace {

// Large enough for two threads.
AttentionConfig large_config() {
  AttentionConfig config;
  config.model_dim = 96;
  config.num_heads = 6;
  return config;
}

struct Profiled {
  AttentionWeights weights = random_weights(large_config(), 1);
  MultiHeadAttention model{weights};
  OwnedModel c_handle = c_model(weights);
  OwnedSession session = c_session(c_handle, 2, HEADWISE_SCHEDULE_WIDE);
  Tensor x = filled({4, 150, 96}, 0.5F), y{{4, 150, 96}};
  CCall call{inputs_of(x, x, x), {.output = y.mutable_view()}};

  OwnedProfile profile(const headwise_profile_options* options) const {
    OwnedProfile result;
    check_ok(headwise_session_profile(session, &call.inputs, &call.outputs, options, result.to()));
    return result;
  }
};

void check_plan(const headwise_explanation* plan, const Explanation& expected) {
  auto info = ready<headwise_explanation_info>();
  check_ok(headwise_explanation_get(plan, &info));
  CHECK(info.isa == expected.isa);
  CHECK(info.schedule == expected.schedule);
  CHECK(info.kernel == expected.kernel);
  CHECK(info.text == expected.to_string());
  CHECK(info.num_threads == expected.threads);
  CHECK(info.scratch_bytes == expected.scratch_bytes);
  CHECK(info.live_pairs == expected.live_pairs);
  REQUIRE(info.num_steps == std::int64_t(expected.steps.size()));
  for (std::int64_t i = 0; i < info.num_steps; ++i) {
    const StepInfo& step = expected.steps[std::size_t(i)];
    auto c = ready<headwise_step_info>();
    check_ok(headwise_explanation_step(plan, i, &c));
    CHECK(c.name == step.name);
    CHECK(c.reads == step.reads);
    CHECK(c.writes == step.writes);
    CHECK(c.flops == step.flops);
    CHECK(c.bytes == step.bytes);
  }
  REQUIRE(info.num_reasons == std::int64_t(expected.reasons.size()));
  for (std::int64_t i = 0; i < info.num_reasons; ++i) {
    const char* reason = nullptr;
    check_ok(headwise_explanation_reason(plan, i, &reason));
    CHECK(reason == expected.reasons[std::size_t(i)]);
  }
}

}  // namespace

TEST_CASE("C explain: all that C++ says") {
  const Profiled p;
  Session session(p.model, {2, Schedule::wide});
  Tensor y(p.y.shape());
  OwnedExplanation plan;
  check_ok(headwise_session_explain(p.session, &p.call.inputs, &p.call.outputs, plan.to()));
  check_plan(plan, session.explain(inputs_of(p.x, p.x, p.x), {.output = y}));
  const MultiHeadAttention reference(p.weights, {.isa = "reference"});
  OwnedExplanation slow;
  check_ok(headwise_session_explain(c_session(c_model(p.weights, {.isa = "reference"}), 1), &p.call.inputs,
                                    &p.call.outputs, slow.to()));
  const Explanation expected = Session(reference, {.threads = 1}).explain(inputs_of(p.x, p.x, p.x), {.output = y});
  CHECK(!expected.reasons.empty());
  check_plan(slow, expected);
  OwnedExplanation none;
  check_invalid({"query"}, [&] {
    const CCall empty({}, {.output = y.mutable_view()});
    return headwise_session_explain(p.session, &empty.inputs, &empty.outputs, none.to());
  }());
}

TEST_CASE("C profile: the same call, and times that add up") {
  const Profiled p;
  const OwnedProfile profile = p.profile(nullptr);
  CHECK(same_bits(p.y, run(p.model, inputs_of(p.x, p.x, p.x)).output));
  auto info = ready<headwise_profile_info>();
  check_ok(headwise_profile_get(profile, &info));
  CHECK(info.seconds > 0);
  CHECK(info.dropped_spans == 0);
  CHECK(info.num_counters == 0);
  CHECK(info.num_spans > 0);
  const headwise_explanation* plan = nullptr;
  check_ok(headwise_profile_plan(profile, &plan));
  auto explained = ready<headwise_explanation_info>();
  check_ok(headwise_explanation_get(plan, &explained));
  CHECK(explained.num_steps == info.num_steps);
  CHECK(explained.num_threads == info.num_threads);
  CHECK(info.num_threads == 2);
  double work = 0;
  std::int64_t parts = 0;
  for (std::int64_t i = 0; i < info.num_steps; ++i) {
    auto all = ready<headwise_step_time>();
    check_ok(headwise_profile_step(profile, i, -1, &all));
    double seconds = 0, waiting = 0;
    std::int64_t units = 0;
    for (std::int64_t t = 0; t < info.num_threads; ++t) {
      auto one = ready<headwise_step_time>();
      check_ok(headwise_profile_step(profile, i, t, &one));
      seconds += one.seconds;
      waiting += one.waiting;
      units += one.units;
    }
    CHECK(all.seconds == doctest::Approx(seconds));
    CHECK(all.waiting == doctest::Approx(waiting));
    CHECK(all.units == units);
    work += all.seconds;
    for (std::int64_t part = 0; part < all.num_parts; ++part) {
      auto time = ready<headwise_part_time>();
      check_ok(headwise_profile_part(profile, i, part, &time));
      CHECK(!std::string(time.name).empty());
      CHECK(time.seconds >= 0);
    }
    parts += all.num_parts;
  }
  CHECK(parts > 0);
  CHECK(work > 0);
  double rest = 0;
  for (std::int64_t t = 0; t < info.num_threads; ++t) {
    auto time = ready<headwise_thread_time>();
    check_ok(headwise_profile_thread(profile, t, &time));
    rest += time.call + time.waiting;
  }
  CHECK(work + rest == doctest::Approx(info.seconds * double(info.num_threads)).epsilon(1e-6));
  std::int64_t units = 0;
  for (std::int64_t i = 0; i < info.num_spans; ++i) {
    auto span = ready<headwise_span>();
    check_ok(headwise_profile_span(profile, i, &span));
    CHECK(span.end >= span.start);
    units += span.kind == HEADWISE_SPAN_WORK ? span.units : 0;
  }
  CHECK(units > 0);
}

TEST_CASE("C profile: options, and counters that are there or say why not") {
  const Profiled p;
  auto options = ready<headwise_profile_options>();
  options.max_spans = 1;
  options.counters = 1;
  const OwnedProfile profile = p.profile(&options);
  auto info = ready<headwise_profile_info>();
  check_ok(headwise_profile_get(profile, &info));
  CHECK(info.num_spans <= info.num_threads);
  CHECK(info.dropped_spans > 0);
  REQUIRE(info.num_counters > 0);
  for (std::int64_t i = 0; i < info.num_counters; ++i) {
    auto counter = ready<headwise_counter>();
    check_ok(headwise_profile_counter(profile, i, &counter));
    CHECK(!std::string(counter.name).empty());
    CHECK((counter.num_steps == info.num_steps || !std::string(counter.missing).empty()));
  }
  OwnedProfile none;
  for (const std::int64_t spans : {std::int64_t{-1}, (std::int64_t{1} << 24) + 1}) {
    options.max_spans = spans;
    check_invalid({"max_spans"},
                  headwise_session_profile(p.session, &p.call.inputs, &p.call.outputs, &options, none.to()));
  }
  options.max_spans = 0;
  options.counters = 2;
  check_invalid({"counters"},
                headwise_session_profile(p.session, &p.call.inputs, &p.call.outputs, &options, none.to()));
}
