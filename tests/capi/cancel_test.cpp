// Ending calls and sharing sessions through C.
#include <thread>

#include "c_objects.hpp"
#include "test_allocator.hpp"

using namespace headwise;

namespace {

struct LongCall {
  AttentionWeights weights;
  Tensor x = filled({1, 4, 1500, 16}, 0.5F), y{{1, 4, 1500, 16}};
  OwnedModel model;
  OwnedFlag flag;
  CCall call{inputs_of(x, x, x), {.output = y.mutable_view()}};
  LongCall() {
    weights.config = heads_config(x, x, x);
    model = OwnedModel(c_model(weights, {.isa = "reference"}));
    check_ok(headwise_cancel_flag_create(flag.to()));
    call.inputs.cancel = flag;
  }
};

headwise_allocator c_allocator(TestAllocator& allocator) {
  return {TestAllocator::allocate, TestAllocator::release, &allocator};
}

}  // namespace

TEST_CASE("C cancel: a flag is set, seen, cleared") {
  OwnedFlag flag;
  check_ok(headwise_cancel_flag_create(flag.to()));
  CHECK(headwise_cancel_flag_is_set(flag) == 0);
  headwise_cancel_flag_set(flag);
  CHECK(headwise_cancel_flag_is_set(flag) == 1);
  headwise_cancel_flag_clear(flag);
  CHECK(headwise_cancel_flag_is_set(flag) == 0);
}

TEST_CASE("C cancel: from another thread, and the session runs again") {
  LongCall it;
  const OwnedSession session = c_session(it.model);
  headwise_status status = HEADWISE_OK;
  for (int attempt = 0; attempt < 100 && status == HEADWISE_OK; ++attempt) {
    headwise_cancel_flag_clear(it.flag);
    std::thread other([&] { headwise_cancel_flag_set(it.flag); });
    status = headwise_session_run(session, &it.call.inputs, &it.call.outputs);
    const std::string message = headwise_last_error();
    other.join();
    if (status != HEADWISE_OK) CHECK(message == "the call was cancelled; the outputs are incomplete");
  }
  CHECK(status == HEADWISE_CANCELLED);
  headwise_cancel_flag_clear(it.flag);
  Tensor x = filled({1, 4, 3, 16}, 0.5F), y({1, 4, 3, 16});
  CCall small(inputs_of(x, x, x), {.output = y.mutable_view()});
  small.inputs.cancel = it.flag;
  check_ok(headwise_session_run(session, &small.inputs, &small.outputs));
  CHECK(same_bits(y, x));
  headwise_cancel_flag_set(it.flag);
  auto options = ready<headwise_profile_options>();
  OwnedProfile profile;
  check_refused(HEADWISE_CANCELLED, {},
                headwise_session_profile(session, &small.inputs, &small.outputs, &options, profile.to()));
  CHECK(profile.handle == nullptr);
}

TEST_CASE("C busy: a second thread is told at once") {
  const AttentionWeights weights = random_weights(grouped_config(), 1);
  const OwnedModel model = c_model(weights);
  TestAllocator allocator;
  std::atomic<bool> inside{false}, refused{false};
  allocator.on_allocate = [&] {
    inside = true;
    while (!refused) std::this_thread::yield();
  };
  auto options = ready<headwise_session_options>();
  options.threads = 1;
  options.allocator = c_allocator(allocator);
  OwnedSession session;
  check_ok(headwise_session_create(model, &options, session.to()));
  Tensor x = filled({2, 9, 24}, 0.25F), y({2, 9, 24}), other_y({2, 9, 24});
  const CCall first(inputs_of(x, x, x), {.output = y.mutable_view()});
  const CCall second(inputs_of(x, x, x), {.output = other_y.mutable_view()});
  headwise_status status = HEADWISE_INTERNAL;
  std::thread other([&] { status = headwise_session_run(session, &first.inputs, &first.outputs); });
  while (!inside) std::this_thread::yield();
  check_refused(HEADWISE_BUSY, {"one session a thread"},
                headwise_session_run(session, &second.inputs, &second.outputs));
  refused = true;
  other.join();
  CHECK(status == HEADWISE_OK);
  check_ok(headwise_session_run(session, &second.inputs, &second.outputs));
  CHECK(same_bits(y, other_y));
}
