#include "boundary.hpp"
#include "call_arguments.hpp"
#include "handles.hpp"
#include "structs.hpp"

namespace headwise::capi {

SessionOptions read_session_options(const headwise_session_options* options) {
  const auto c = read_options(options);
  return {c.threads, read_enum("schedule", c.schedule, Schedule::deep),
          c.executor == nullptr ? nullptr : c.executor->executor, read_allocator(c.allocator)};
}

}  // namespace headwise::capi

using namespace headwise::capi;

namespace {

headwise::ProfileOptions read_profile_options(const headwise_profile_options* options) {
  const auto c = read_options(options);
  return {or_default(c.max_spans, headwise::ProfileOptions{}.max_spans), read_flag("counters", c.counters)};
}

}  // namespace

headwise_status headwise_executor_create(int32_t threads, headwise_executor** executor) {
  return guard([&] {
    auto& result = deref("executor", executor);
    result = new headwise_executor{std::make_shared<headwise::Executor>(threads)};
  });
}

headwise_status headwise_executor_threads(const headwise_executor* executor, int32_t* threads) {
  return guard([&] { deref("threads", threads) = deref("executor", executor).executor->threads(); });
}

void headwise_executor_free(headwise_executor* executor) {
  delete executor;
}

headwise_status headwise_session_create(const headwise_model* model, const headwise_session_options* options,
                                        headwise_session** session) {
  return guard([&] {
    auto& result = deref("session", session);
    result = new headwise_session{headwise::Session(deref("model", model).attention, read_session_options(options))};
  });
}

void headwise_session_free(headwise_session* session) {
  delete session;
}

headwise_status headwise_session_threads(const headwise_session* session, int32_t* threads) {
  return guard([&] { deref("threads", threads) = deref("session", session).session.threads(); });
}

headwise_status headwise_session_run(headwise_session* session, const headwise_inputs* inputs,
                                     const headwise_outputs* outputs) {
  return guard([&] { deref("session", session).session.run(read_inputs(inputs), read_outputs(outputs)); });
}

headwise_status headwise_session_append(headwise_session* session, headwise_cache* cache,
                                        const headwise_inputs* inputs) {
  return guard([&] { deref("session", session).session.append(deref("cache", cache).cache, read_inputs(inputs)); });
}

headwise_status headwise_session_explain(const headwise_session* session, const headwise_inputs* inputs,
                                         const headwise_outputs* outputs, headwise_explanation** explanation) {
  return guard([&] {
    auto& result = deref("explanation", explanation);
    const headwise::Session& s = deref("session", session).session;
    result = new headwise_explanation{s.explain(read_inputs(inputs), read_outputs(outputs))};
  });
}

headwise_status headwise_session_profile(headwise_session* session, const headwise_inputs* inputs,
                                         const headwise_outputs* outputs, const headwise_profile_options* options,
                                         headwise_profile** profile) {
  return guard([&] {
    auto& result = deref("profile", profile);
    headwise::Session& s = deref("session", session).session;
    const headwise::ProfileOptions wanted = read_profile_options(options);
    result = new headwise_profile{s.profile(read_inputs(inputs), read_outputs(outputs), wanted)};
  });
}
