// The JSON of a profile.
#include <nlohmann/json.hpp>

#include "explain_report.hpp"
#include "plan_words.hpp"
#include "profile_report.hpp"

namespace headwise::tools {
namespace {

Json roofs_json(const Roofs& roofs) {
  if (!roofs.measured()) return nullptr;
  Json memory = Json::array();
  for (const MemoryRoof& level : roofs.memory) {
    memory.push_back({{"name", level.name},
                      {"capacity", level.capacity},
                      {"gigabytes_per_second", json_number(level.bytes_per_second * 1e-9)}});
  }
  return {{"gigaflops_per_second", json_number(roofs.peak * 1e-9)}, {"memory", memory}};
}

Json rate_json(double amount, double seconds) {
  return amount > 0 && seconds > 0 ? json_number(amount / seconds * 1e-9) : Json(nullptr);
}

Json row_json(const ProfileRow& row) {
  const Work& work = row.work;
  return {{"name", row.name},
          {"thread_milliseconds", json_number(work.seconds * 1e3)},
          {"share", json_number(row.share)},
          {"flops", json_number(work.flops)},
          {"bytes", json_number(work.bytes)},
          {"gigaflops_per_second", rate_json(work.flops, work.seconds)},
          {"gigabytes_per_second", rate_json(work.bytes, work.seconds)},
          {"bound_by", row.standing ? Json(row.standing->bound) : Json(nullptr)},
          {"share_of_roof", row.standing ? json_number(row.standing->share) : Json(nullptr)}};
}

Json threads_json(const ProfileStep& step) {
  Json threads = Json::array();
  for (const StepTime& time : step.threads) {
    threads.push_back({{"milliseconds", json_number(time.seconds * 1e3)},
                       {"waiting_milliseconds", json_number(time.waiting * 1e3)},
                       {"units", time.units}});
  }
  return threads;
}

// The rows of steps with what they write, their threads and parts.
Json steps_json(const ProfileResult& result) {
  Json steps = Json::array();
  for (const ProfileRow& row : profile_rows(result)) {
    if (row.depth > 0) {
      steps.back()["parts"].push_back(row_json(row));
    } else if (steps.size() < result.profile.steps.size()) {
      const std::size_t i = steps.size();
      steps.push_back(row_json(row));
      steps.back()["reads"] = result.profile.plan.steps[i].reads;
      steps.back()["writes"] = result.profile.plan.steps[i].writes;
      steps.back()["threads"] = threads_json(result.profile.steps[i]);
      steps.back()["parts"] = Json::array();
    }
  }
  return steps;
}

Json other_time_json(const Profile& profile) {
  Json threads = Json::array();
  for (const ThreadTime& time : profile.threads) {
    threads.push_back({{"around_steps_milliseconds", json_number(time.call * 1e3)},
                       {"waiting_milliseconds", json_number(time.waiting * 1e3)}});
  }
  return threads;
}

Json counters_json(const Profile& profile) {
  Json counters = Json::object();
  for (const ProfileCounter& counter : profile.counters) {
    counters[counter.name] = counter.missing.empty() ? Json{{"steps", counter.steps}, {"missing", nullptr}}
                                                     : Json{{"steps", nullptr}, {"missing", counter.missing}};
  }
  return counters;
}

}  // namespace

std::string profile_json(const ProfileReport& report) {
  const ProfileResult& result = report.result;
  Json object = call_json(report.call, result.profile.plan, report.options);
  object["calls"] = result.calls;
  object["milliseconds"] = json_number(result.profile.seconds * 1e3);
  object["limits_per_thread"] = roofs_json(result.roofs);
  object["steps"] = steps_json(result);
  object["other_time"] = other_time_json(result.profile);
  object["counters"] = counters_json(result.profile);
  object["dropped_spans"] = result.profile.dropped_spans;
  return json_line(object);
}

}  // namespace headwise::tools
