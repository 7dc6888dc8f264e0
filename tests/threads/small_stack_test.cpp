// All calls fit on small stacks: those of callers, of OpenMP's threads (see CMakeLists.txt) and of executors.
#include <doctest/doctest.h>
#include <pthread.h>

#include "headwise/headwise.hpp"
#include "large_layer.hpp"

using namespace headwise;

namespace {

// Runs a function on a thread with a stack of so many bytes; below it lies a page that ends the process when touched.
template <class Function>
void on_stack(std::size_t bytes, Function function) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  REQUIRE(pthread_attr_setstacksize(&attributes, bytes) == 0);
  pthread_t thread;
  const auto call = [](void* f) -> void* { return (*static_cast<Function*>(f))(), nullptr; };
  REQUIRE(pthread_create(&thread, &attributes, call, &function) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t small = 1 << 20;  // sanitizers put space around every variable
#else
constexpr std::size_t small = 256 << 10;
#endif

// What a server does, from the model to a profile, on one instruction set.
bool everything(const std::string& isa) {
  const AttentionConfig config = LargeLayer::config({3, 150, 96});
  const MultiHeadAttention model(random_weights(config, 1), {.isa = isa, .head_contribution = true});
  Tensor x({3, 150, 96}), y(x.shape()), weights({3, 6, 150, 150}), average({3, 150, 150}), sums({3, 6, 150});
  Tensor top({3, 6, 150, 4}), keys(DType::i64, {3, 6, 150, 4}), mask({3, 6, 150, 150}), lse({3, 6, 150});
  const AttentionInputs inputs{.query = x, .key = x, .value = x, .attention_mask = mask, .causal = true};
  const AttentionOutputs outputs{.output = y,
                                 .attention = weights,
                                 .average_attention = average,
                                 .top_weights = top,
                                 .top_keys = keys,
                                 .log_sum_exp = lse,
                                 .column_sums = sums};
  for (const Schedule schedule : {Schedule::wide, Schedule::deep}) {
    for (const int threads : {1, 2}) {
      Session session(model, {.threads = threads, .schedule = schedule});
      session.run(inputs, outputs);
      if (session.profile(inputs, outputs, {}).seconds <= 0) return false;
    }
    Session(model, {.schedule = schedule, .executor = std::make_shared<Executor>(2)}).run(inputs, outputs);
  }
  return true;
}

bool decode(const std::string& isa) {
  AttentionConfig config = LargeLayer::config({1, 1, 96});
  config.num_kv_heads = 2;
  const MultiHeadAttention model(random_weights(config, 1), {.isa = isa});
  Session session(model, {.threads = 2});
  KvCache cache = KvCache(config, {.batch = 2, .capacity = 3000});
  Tensor prompt({2, 2500, 96}), token({2, 1, 96}), y(token.shape());
  session.append(cache, {.key = prompt, .value = prompt});
  session.run({.query = token, .key = token, .value = token, .causal = true, .cache = &cache}, {.output = y});
  return cache.length(0) == 2501;
}

}  // namespace

TEST_CASE("stack: 256 KiB are enough for every kind of call, on every instruction set") {
  for (const IsaInfo& isa : list_isas()) {
    if (!isa.compiled || !isa.present) {
      MESSAGE("skipped, not on this machine: " << isa.name);
      continue;
    }
    CAPTURE(isa.name);
    bool done = false, decoded = false;
    on_stack(small, [&] { done = everything(isa.name); });
    on_stack(small, [&] { decoded = decode(isa.name); });
    CHECK(done);
    CHECK(decoded);
  }
}

TEST_CASE("stack: 256 KiB are enough to load a layer and to say what limits the threads") {
  std::int64_t heads = 0;
  int threads = 0;
  on_stack(small, [&] {
    heads = load_attention(HEADWISE_TEST_DATA "/tiny_bert/model.safetensors", {}).config.num_heads;
    threads = thread_limits().threads;
  });
  CHECK(heads > 0);
  CHECK(threads > 0);
}
