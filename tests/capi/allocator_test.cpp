// The caller's memory through C; C14: a status out of every allocation that fails.
#include "allocations.hpp"
#include "c_objects.hpp"
#include "test_allocator.hpp"

using namespace headwise;

namespace {

headwise_allocator c_allocator(TestAllocator& allocator) {
  return {TestAllocator::allocate, TestAllocator::release, &allocator};
}

// All objects that take an allocator, made and used; the first status that is not OK.
headwise_status use_all(TestAllocator& allocator, const headwise_weights* weights, const CCall& call) {
  OwnedModel model;
  OwnedSession session;
  OwnedCache cache, fork;
  auto model_options = ready<headwise_model_options>();
  auto session_options = ready<headwise_session_options>();
  auto cache_options = ready<headwise_cache_options>();
  auto config = ready<headwise_config>();
  model_options.head_contribution = 1;
  session_options.threads = 1;
  cache_options.capacity = 4;
  model_options.allocator = session_options.allocator = cache_options.allocator = c_allocator(allocator);
  headwise_status status = headwise_model_create(weights, &model_options, model.to());
  if (status == HEADWISE_OK) status = headwise_session_create(model, &session_options, session.to());
  if (status == HEADWISE_OK) status = headwise_session_run(session, &call.inputs, &call.outputs);
  if (status == HEADWISE_OK) status = headwise_model_config(model, &config);
  if (status == HEADWISE_OK) status = headwise_cache_create(&config, &cache_options, cache.to());
  if (status == HEADWISE_OK) status = headwise_cache_fork(cache, fork.to());
  return status;
}

}  // namespace

TEST_CASE("C14: the caller's allocator counts, and every failure of it is a status without a leak") {
  const OwnedWeights weights = c_weights(random_weights(grouped_config(), 1));
  Tensor x = filled({2, 9, 24}, 0.25F), y({2, 9, 24});
  const CCall call(inputs_of(x, x, x), {.output = y.mutable_view()});
  TestAllocator counting;
  check_ok(use_all(counting, weights, call));
  CHECK(counting.held() == 0);
  CHECK(!counting.wrong());
  REQUIRE(counting.allocations() > 6);
  for (int n = 0; n < counting.allocations(); ++n) {
    CAPTURE(n);
    TestAllocator failing;
    failing.fail_after = n;
    check_refused(HEADWISE_OUT_OF_MEMORY, {"the caller's allocator"}, use_all(failing, weights, call));
    CHECK(failing.held() == 0);
    CHECK(!failing.wrong());
  }
}

TEST_CASE("C allocator: a warm call allocates nothing") {
  if (!counts_allocations) {
    MESSAGE("skipped: a sanitizer owns the allocator of this build");
    return;
  }
  Tensor x = filled({2, 4, 9, 6}, 0.25F), y({2, 4, 9, 6});
  AttentionWeights weights;
  weights.config = heads_config(x, x, x);
  const OwnedModel model = c_model(weights);
  const OwnedSession session = c_session(model, 2);
  const CCall call(inputs_of(x, x, x), {.output = y.mutable_view()});
  for (int warm = 0; warm < 2; ++warm) check_ok(headwise_session_run(session, &call.inputs, &call.outputs));
  const std::int64_t before = allocations();
  const headwise_status status = headwise_session_run(session, &call.inputs, &call.outputs);
  CHECK(allocations() == before);
  CHECK(status == HEADWISE_OK);
}

TEST_CASE("C allocator: half of one is refused everywhere") {
  const OwnedWeights weights = c_weights(random_weights(grouped_config(), 1));
  OwnedModel model, other;
  OwnedSession session;
  OwnedCache cache;
  check_ok(headwise_model_create(weights, nullptr, model.to()));
  auto config = ready<headwise_config>();
  check_ok(headwise_model_config(model, &config));
  const headwise_allocator halves[] = {{TestAllocator::allocate, nullptr, nullptr},
                                       {nullptr, TestAllocator::release, nullptr}};
  for (const headwise_allocator& half : halves) {
    auto model_options = ready<headwise_model_options>();
    auto session_options = ready<headwise_session_options>();
    auto cache_options = ready<headwise_cache_options>();
    cache_options.capacity = 4;
    model_options.allocator = session_options.allocator = cache_options.allocator = half;
    check_invalid({"both functions"}, headwise_model_create(weights, &model_options, other.to()));
    check_invalid({"both functions"}, headwise_session_create(model, &session_options, session.to()));
    check_invalid({"both functions"}, headwise_cache_create(&config, &cache_options, cache.to()));
  }
}

TEST_CASE("C14: sizes that no memory holds are a status, and the session runs afterwards") {
  const OwnedModel model = c_model(random_weights(grouped_config(), 1));
  OwnedCache cache;
  OwnedTensor tensor;
  auto config = ready<headwise_config>();
  auto options = ready<headwise_cache_options>();
  check_ok(headwise_model_config(model, &config));
  const std::int64_t huge[] = {std::int64_t{1} << 50};
  options.capacity = huge[0];
  check_refused(HEADWISE_OUT_OF_MEMORY, {"bytes"}, headwise_cache_create(&config, &options, cache.to()));
  check_refused(HEADWISE_OUT_OF_MEMORY, {"bytes"}, headwise_tensor_create(HEADWISE_F32, 1, huge, tensor.to()));
  options.capacity = INT64_MAX;
  check_invalid({}, headwise_cache_create(&config, &options, cache.to()));
  const std::int64_t impossible[] = {INT64_MAX, 8};
  check_invalid({}, headwise_tensor_create(HEADWISE_F32, 2, impossible, tensor.to()));
  const std::int64_t negative[] = {-1};
  check_invalid({"negative"}, headwise_tensor_create(HEADWISE_F32, 1, negative, tensor.to()));
  // One number that claims to be a very long query.
  const OwnedSession session = c_session(model);
  float number = 1;
  const std::int64_t strides[] = {0, 0, 0};
  const headwise_view input{&number, HEADWISE_F32, 3, {1, std::int64_t{1} << 40, 24}, strides};
  Tensor x = filled({1, 2, 24}, 0.5F), y({1, 2, 24});
  CCall call(inputs_of(x, x, x), {.output = y.mutable_view()});
  const headwise_view* good = call.inputs.query;
  call.inputs.query = call.inputs.key = call.inputs.value = &input;
  CHECK(headwise_session_run(session, &call.inputs, &call.outputs) != HEADWISE_OK);
  call.inputs.query = call.inputs.key = call.inputs.value = good;
  check_ok(headwise_session_run(session, &call.inputs, &call.outputs));
}
