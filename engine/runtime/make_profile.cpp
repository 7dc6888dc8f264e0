#include "make_profile.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "headwise/error.hpp"

namespace headwise {

namespace runtime {

namespace {

constexpr std::int64_t most_spans = std::int64_t{1} << 24;
constexpr const char* part_names[kernels::attend_parts] = {"keys",    "QK^T", "modifiers", "softmax",
                                                           "weights", "PV",   "edges"};

// The share of a step's flops and bytes that falls to a part: keys and queries for the first product, values and
// contexts for the second, the caller's weights for themselves.
void set_work(const Plan& plan, const StepInfo& step, kernels::AttendPart part, StepPart& result) {
  const Sizes& s = plan.request.sizes;
  const double sizes = double(s.head_dim + s.value_dim);
  const double weights = plan.request.outputs.attention.given && sizes > 0 ? 2 * step.flops / sizes : 0;
  const double rows = std::max(step.bytes - weights, 0.0);
  if (part == kernels::AttendPart::weights) result.bytes = std::min(weights, step.bytes);
  const bool first = part == kernels::AttendPart::scores;
  if (sizes == 0 || (!first && part != kernels::AttendPart::values)) return;
  const double share = double(first ? s.head_dim : s.value_dim) / sizes;
  result.flops = step.flops * share;
  result.bytes = rows * share;
}

std::vector<StepPart> make_parts(const Plan& plan, const Recording& recording, int i, const Profile& profile) {
  std::array<std::uint64_t, kernels::attend_parts> ticks{};
  for (const Recorder& recorder : recording.recorders()) {
    for (std::size_t p = 0; p < ticks.size(); ++p) ticks[p] += recorder.step(i).parts[p];
  }
  std::vector<StepPart> parts;
  if (ticks[static_cast<std::size_t>(kernels::AttendPart::scores)] == 0) return parts;  // no laps in the reference
  const double all = double(std::accumulate(ticks.begin(), ticks.end(), std::uint64_t{0}));
  const auto at = static_cast<std::size_t>(i);
  for (std::size_t p = 0; p < ticks.size(); ++p) {
    if (ticks[p] == 0) continue;
    parts.push_back({part_names[p], profile.steps[at].seconds() * double(ticks[p]) / all});
    set_work(plan, profile.plan.steps[at], static_cast<kernels::AttendPart>(p), parts.back());
  }
  return parts;
}

void add_steps(const Plan& plan, const Recording& recording, Profile& profile) {
  profile.steps.resize(static_cast<std::size_t>(plan.num_steps));
  for (int i = 0; i < plan.num_steps; ++i) {
    ProfileStep& step = profile.steps[static_cast<std::size_t>(i)];
    for (int t = 0; t < plan.threads; ++t) {
      const StepRecord& record = recording.recorders()[static_cast<std::size_t>(t)].step(i);
      step.threads.push_back({recording.seconds(record.work), recording.seconds(record.wait), record.units});
    }
    step.parts = make_parts(plan, recording, i, profile);
  }
}

void add_spans(const Recording& recording, int thread, Profile& profile) {
  const Recorder& recorder = recording.recorders()[static_cast<std::size_t>(thread)];
  const std::uint64_t begin = recording.begin_ticks();
  for (const SpanRecord& span : recorder.spans()) {
    profile.spans.push_back({span.kind, span.step, thread, recording.seconds(span.start - begin),
                             recording.seconds(span.end - begin), span.units});
  }
  profile.dropped_spans += recorder.dropped();
}

void add_threads(const Plan& plan, const Recording& recording, Profile& profile) {
  for (int t = 0; t < plan.threads; ++t) {
    const Recorder& recorder = recording.recorders()[static_cast<std::size_t>(t)];
    profile.threads.push_back({recording.seconds(recorder.call()), recording.seconds(recorder.wait())});
    add_spans(recording, t, profile);
  }
}

void add_counters(const Plan& plan, const Recording& recording, Profile& profile) {
  for (std::size_t c = 0; c < counter_count; ++c) {
    ProfileCounter counter{counter_name(c), {}, counter_missing(c)};
    if (counter.missing.empty()) counter.steps.resize(static_cast<std::size_t>(plan.num_steps));
    for (std::size_t i = 0; i < counter.steps.size(); ++i) {
      for (const Recorder& recorder : recording.recorders()) {
        counter.steps[i] += recorder.step(static_cast<int>(i)).counters[c];
      }
    }
    profile.counters.push_back(std::move(counter));
  }
}

}  // namespace

void check_options(const ProfileOptions& options) {
  if (options.max_spans >= 1 && options.max_spans <= most_spans) return;
  throw Error(ErrorCode::invalid_argument,
              "max_spans is " + std::to_string(options.max_spans) + "; expected 1 to " + std::to_string(most_spans));
}

Recording::Recording(std::vector<Worker>& workers, std::vector<Recorder>& recorders, const ProfileOptions& options)
    : workers_(workers), recorders_(recorders), counts_(options.counters) {
  for (Recorder& recorder : recorders_) recorder.prepare(options);
  for (std::size_t t = 0; t < workers_.size(); ++t) workers_[t].recorder = &recorders_[t];
  begin_ = Clock::now();
  begin_ticks_ = kernels::read_ticks();
  for (Recorder& recorder : recorders_) recorder.begin(begin_ticks_);
}

Recording::~Recording() {
  for (Worker& worker : workers_) worker.recorder = nullptr;
}

// Ticks and clock are read at both ends of the call, so its own length says how long a tick is.
void Recording::end() noexcept {
  const std::uint64_t ticks = kernels::read_ticks();
  seconds_ = std::chrono::duration<double>(Clock::now() - begin_).count();
  tick_ = ticks > begin_ticks_ ? seconds_ / double(ticks - begin_ticks_) : 0;
  for (std::size_t t = 0; t < recorders_.size(); ++t) {
    recorders_[t].close_at(ticks, t == 0 ? SpanKind::call : SpanKind::wait, -1, 0);
  }
}

Profile make_profile(const Plan& plan, const Recording& recording, Explanation explanation) {
  Profile profile;
  profile.plan = std::move(explanation);
  profile.seconds = recording.seconds();
  add_steps(plan, recording, profile);
  add_threads(plan, recording, profile);
  if (recording.counts()) add_counters(plan, recording, profile);
  return profile;
}

}  // namespace runtime

double ProfileStep::seconds() const noexcept {
  double sum = 0;
  for (const StepTime& time : threads) sum += time.seconds;
  return sum;
}

std::int64_t ProfileStep::units() const noexcept {
  std::int64_t sum = 0;
  for (const StepTime& time : threads) sum += time.units;
  return sum;
}

}  // namespace headwise
