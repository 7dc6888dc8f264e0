#include "boundary.hpp"
#include "handles.hpp"
#include "structs.hpp"

using namespace headwise::capi;
using headwise::Profile;
using headwise::ProfileStep;

namespace {

headwise_step_time time_of_all(const ProfileStep& step) {
  headwise_step_time result{0, step.seconds(), 0, step.units(), count_of(step.parts)};
  for (const headwise::StepTime& thread : step.threads) result.waiting += thread.waiting;
  return result;
}

headwise_step_time time_of_one(const ProfileStep& step, int64_t thread) {
  const headwise::StepTime& time = element_at("thread", step.threads, thread);
  return {0, time.seconds, time.waiting, time.units, count_of(step.parts)};
}

}  // namespace

void headwise_profile_free(headwise_profile* profile) {
  delete profile;
}

headwise_status headwise_profile_plan(const headwise_profile* profile, const headwise_explanation** plan) {
  return guard([&] { deref("plan", plan) = &deref("profile", profile).plan; });
}

headwise_status headwise_profile_get(const headwise_profile* profile, headwise_profile_info* info) {
  return guard([&] {
    const Profile& p = deref("profile", profile).profile;
    write_struct<headwise_profile_info>("info", info,
                                        {0, p.seconds, count_of(p.steps), count_of(p.threads), count_of(p.spans),
                                         p.dropped_spans, count_of(p.counters)});
  });
}

headwise_status headwise_profile_step(const headwise_profile* profile, int64_t step, int64_t thread,
                                      headwise_step_time* time) {
  return guard([&] {
    const ProfileStep& s = element_at("step", deref("profile", profile).profile.steps, step);
    write_struct("time", time, thread == -1 ? time_of_all(s) : time_of_one(s, thread));
  });
}

headwise_status headwise_profile_part(const headwise_profile* profile, int64_t step, int64_t part,
                                      headwise_part_time* time) {
  return guard([&] {
    const ProfileStep& s = element_at("step", deref("profile", profile).profile.steps, step);
    const headwise::StepPart& p = element_at("part", s.parts, part);
    write_struct<headwise_part_time>("time", time, {0, p.name.c_str(), p.seconds, p.flops, p.bytes});
  });
}

headwise_status headwise_profile_thread(const headwise_profile* profile, int64_t thread, headwise_thread_time* time) {
  return guard([&] {
    const headwise::ThreadTime& t = element_at("thread", deref("profile", profile).profile.threads, thread);
    write_struct<headwise_thread_time>("time", time, {0, t.call, t.waiting});
  });
}

headwise_status headwise_profile_span(const headwise_profile* profile, int64_t index, headwise_span* span) {
  return guard([&] {
    const headwise::ProfileSpan& s = element_at("index", deref("profile", profile).profile.spans, index);
    write_struct<headwise_span>(
        "span", span, {0, static_cast<headwise_span_kind>(s.kind), s.step, s.thread, s.start, s.end, s.units});
  });
}

headwise_status headwise_profile_counter(const headwise_profile* profile, int64_t index, headwise_counter* counter) {
  return guard([&] {
    const headwise::ProfileCounter& c = element_at("index", deref("profile", profile).profile.counters, index);
    write_struct<headwise_counter>("counter", counter,
                                   {0, c.name.c_str(), c.missing.c_str(), count_of(c.steps), c.steps.data()});
  });
}
