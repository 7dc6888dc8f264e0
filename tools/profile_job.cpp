#include "profile_job.hpp"

#include <algorithm>
#include <utility>

namespace headwise::tools {
namespace {

constexpr double time_budget = 0.5;
constexpr int most_calls = 1000;  // their spans are kept until it is known which is the median

// Numbers without a pattern: what makes scores differ and keeps zeros out of the arithmetic.
void make_noise(Tensor& tensor) {
  if (!tensor.given() || tensor.dtype() == DType::i64) return;
  Tensor noise(tensor.shape());
  std::uint32_t state = 1;
  for (std::int64_t i = 0; i < noise.size(); ++i) {
    state = state * 1664525U + 1013904223U;
    noise.data()[i] = float(state >> 8) / float(1U << 23) - 1;
  }
  tensor = convert(noise, tensor.dtype());
}

// The tokens that a call appended are taken back, so that each call finds the same cache.
void rewind_cache(SizedCall& call, const AttentionInputs& inputs) {
  if (!call.cache) return;
  const std::int64_t tokens = inputs.query.shape[inputs.query.shape.rank() - 2];
  for (std::int64_t row = 0; row < call.cache->batch(); ++row) {
    call.cache->roll_back(row, std::min(tokens, call.cache->length(row) - call.cache->oldest(row)));
  }
}

class Calls {
 public:
  Calls(SizedCall& call, const ProfileCommandOptions& options)
      : call_(call),
        session_(*call.attention, options.session),
        inputs_(call.arguments(options)),
        outputs_(call.outputs(options)) {}

  Profile profile(const ProfileOptions& options = {}) {
    Profile result = session_.profile(inputs_, outputs_, options);
    rewind_cache(call_, inputs_);
    return result;
  }

 private:
  SizedCall& call_;
  Session session_;
  AttentionInputs inputs_;
  AttentionOutputs outputs_;
};

std::vector<Profile> run_calls(Calls& calls, int repeat, const Console& console) {
  ProgressBar bar(console, "profiling");
  const double first = calls.profile().seconds;  // warms up
  const int fitting = static_cast<int>(std::clamp(time_budget / std::max(first, 1e-9), 1.0, double(most_calls)));
  const int count = repeat > 0 ? repeat : fitting;
  std::vector<Profile> profiles;
  for (int i = 0; i < count; ++i) {
    profiles.push_back(calls.profile());
    bar.update(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(count));
  }
  return profiles;
}

StepPart& part_named(ProfileStep& step, const StepPart& like) {
  for (StepPart& part : step.parts) {
    if (part.name == like.name) return part;
  }
  step.parts.push_back({like.name, 0, like.flops, like.bytes});
  return step.parts.back();
}

void add_step(ProfileStep& to, const ProfileStep& from, double weight) {
  to.threads.resize(from.threads.size());
  for (std::size_t t = 0; t < from.threads.size(); ++t) {
    to.threads[t].seconds += weight * from.threads[t].seconds;
    to.threads[t].waiting += weight * from.threads[t].waiting;
    to.threads[t].units = from.threads[t].units;
  }
  for (const StepPart& part : from.parts) part_named(to, part).seconds += weight * part.seconds;
}

void add_times(Profile& to, const Profile& from, double weight) {
  to.seconds += weight * from.seconds;
  to.steps.resize(from.steps.size());
  for (std::size_t i = 0; i < from.steps.size(); ++i) add_step(to.steps[i], from.steps[i], weight);
  to.threads.resize(from.threads.size());
  for (std::size_t t = 0; t < from.threads.size(); ++t) {
    to.threads[t].call += weight * from.threads[t].call;
    to.threads[t].waiting += weight * from.threads[t].waiting;
  }
}

// Medians of steps would not add up to a median call; means do, and the calls that something else disturbed are the
// longest ones.
Profile middle_half(std::vector<Profile> profiles) {
  std::sort(profiles.begin(), profiles.end(), [](const Profile& a, const Profile& b) { return a.seconds < b.seconds; });
  const std::size_t count = profiles.size(), first = count / 4, end = count - count / 4;
  const Profile& median = profiles[count / 2];
  Profile result{.plan = median.plan, .spans = median.spans, .dropped_spans = median.dropped_spans};
  for (std::size_t i = first; i < end; ++i) add_times(result, profiles[i], 1 / double(end - first));
  return result;
}

}  // namespace

ProfileResult profile_call(SizedCall& call, const ProfileCommandOptions& options, const Console& console) {
  for (const Input id : {Input::query, Input::key, Input::value}) {
    if (!options.given(id)) make_noise(call.inputs.tensors[id]);
  }
  Calls calls(call, options);
  std::vector<Profile> profiles = run_calls(calls, options.repeat, console);
  ProfileResult result;
  result.calls = static_cast<int>(profiles.size());
  result.profile = middle_half(std::move(profiles));
  result.profile.counters = calls.profile({.counters = true}).counters;  // apart, since they cost time
  if (options.limits) result.roofs = measure_roofs(result.profile.plan, console);
  return result;
}

}  // namespace headwise::tools
