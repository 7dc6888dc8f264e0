#include "profile_trace.hpp"

#include <nlohmann/json.hpp>

#include "json_output.hpp"

namespace headwise::tools {
namespace {

constexpr int process = 1;

Json name_event(const char* what, int thread, const std::string& name) {
  return {{"name", what}, {"ph", "M"}, {"pid", process}, {"tid", thread}, {"args", {{"name", name}}}};
}

std::string span_name(const Profile& profile, const ProfileSpan& span) {
  const std::string step = span.step < 0 ? "" : profile.plan.steps[static_cast<std::size_t>(span.step)].name;
  if (span.kind == SpanKind::work) return step;
  if (span.kind == SpanKind::call) return "call";
  return step.empty() ? "wait" : "wait after " + step;
}

const char* category(SpanKind kind) {
  return kind == SpanKind::work ? "step" : kind == SpanKind::call ? "call" : "wait";
}

Json span_event(const Profile& profile, const ProfileSpan& span) {
  Json event = {{"name", span_name(profile, span)},
                {"cat", category(span.kind)},
                {"ph", "X"},
                {"ts", json_number(span.start * 1e6)},
                {"dur", json_number((span.end - span.start) * 1e6)},
                {"pid", process},
                {"tid", span.thread}};
  if (span.kind == SpanKind::work) event["args"] = {{"units", span.units}};
  return event;
}

}  // namespace

std::string trace_text(const Profile& profile) {
  Json events = Json::array();
  events.push_back(name_event("process_name", 0, "headwise"));
  for (std::size_t t = 0; t < profile.threads.size(); ++t) {
    const int thread = static_cast<int>(t);
    events.push_back(name_event("thread_name", thread, "thread " + std::to_string(t)));
  }
  for (const ProfileSpan& span : profile.spans) events.push_back(span_event(profile, span));
  return json_line({{"displayTimeUnit", "ns"},
                    {"otherData",
                     {{"headwise", version()},
                      {"isa", profile.plan.isa},
                      {"schedule", profile.plan.schedule},
                      {"dropped_spans", profile.dropped_spans}}},
                    {"traceEvents", events}});
}

}  // namespace headwise::tools
