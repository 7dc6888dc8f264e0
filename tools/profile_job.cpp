#include "profile_job.hpp"

#include <algorithm>
#include <cmath>

namespace headwise::tools {
namespace {

constexpr double time_budget = 0.5;
constexpr int most_calls = 1000;  // their spans are kept until the median is known

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

std::size_t middle_call(const std::vector<Profile>& profiles) {
  std::vector<std::size_t> order(profiles.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(order.size() / 2);
  std::nth_element(order.begin(), middle, order.end(),
                   [&](std::size_t a, std::size_t b) { return profiles[a].seconds < profiles[b].seconds; });
  return *middle;
}

// Of one number in all profiles.
template <class Get>
double median_of(const std::vector<Profile>& profiles, const Get& get) {
  std::vector<double> values;
  for (const Profile& profile : profiles) values.push_back(get(profile));
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double part_seconds(const ProfileStep& step, const std::string& name) {
  for (const StepPart& part : step.parts) {
    if (part.name == name) return part.seconds;
  }
  return 0;
}

// Medians of parts do not add up to the median of their step; they are brought to it.
void take_median_parts(ProfileStep& step, std::size_t i, const std::vector<Profile>& profiles) {
  double sum = 0;
  for (StepPart& part : step.parts) {
    part.seconds = median_of(profiles, [&](const Profile& p) { return part_seconds(p.steps[i], part.name); });
    sum += part.seconds;
  }
  for (StepPart& part : step.parts) part.seconds *= sum > 0 ? step.seconds() / sum : 0;
}

void take_medians(Profile& to, const std::vector<Profile>& profiles) {
  for (std::size_t i = 0; i < to.steps.size(); ++i) {
    for (std::size_t t = 0; t < to.threads.size(); ++t) {
      StepTime& time = to.steps[i].threads[t];
      time.seconds = median_of(profiles, [&](const Profile& p) { return p.steps[i].threads[t].seconds; });
      time.waiting = median_of(profiles, [&](const Profile& p) { return p.steps[i].threads[t].waiting; });
    }
    take_median_parts(to.steps[i], i, profiles);
  }
  for (std::size_t t = 0; t < to.threads.size(); ++t) {
    to.threads[t].call = median_of(profiles, [&](const Profile& p) { return p.threads[t].call; });
    to.threads[t].waiting = median_of(profiles, [&](const Profile& p) { return p.threads[t].waiting; });
  }
}

}  // namespace

double ProfileResult::thread_seconds() const {
  double sum = 0;
  for (const ProfileStep& step : profile.steps) sum += step.seconds();
  for (const ThreadTime& thread : profile.threads) sum += thread.call + thread.waiting;
  return sum;
}

ProfileResult profile_call(SizedCall& call, const ProfileCommandOptions& options, const Console& console) {
  for (const Input id : {Input::query, Input::key, Input::value}) {
    if (!options.given(id)) make_noise(call.inputs.tensors[id]);
  }
  Calls calls(call, options);
  const std::vector<Profile> profiles = run_calls(calls, options.repeat, console);
  ProfileResult result;
  result.calls = static_cast<int>(profiles.size());
  result.profile = profiles[middle_call(profiles)];
  take_medians(result.profile, profiles);
  result.profile.counters = calls.profile({.counters = true}).counters;  // apart, since they cost time
  if (options.limits) result.roofs = measure_roofs(result.profile.plan, console);
  return result;
}

}  // namespace headwise::tools
