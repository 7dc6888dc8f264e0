// Sessions with a key/value cache: token by token against all at once, forgetting, copies, and keys that are kept.
#include "cached_calls.hpp"

using namespace headwise;

TEST_CASE("cache: token by token, by chunks and all at once agree") {
  for_each_cache_model([](const MultiHeadAttention& model, Random& random) {
    const Tensor x = random_tensor(random, {2, 40, 24});
    Session session(model, {2, Schedule::automatic});
    AttentionInputs whole = tokens(x, 0, 40, nullptr);
    const Results expected = run(model, whole);
    for (const std::int64_t chunk : {1, 2, 7, 39, 40}) {
      CAPTURE(chunk);
      KvCache cache(model.config(), {2, 40});
      for (std::int64_t first = 0; first < 40; first += chunk) {
        const std::int64_t count = std::min<std::int64_t>(chunk, 40 - first);
        const Tensor output = step(session, x, first, count, cache);
        CHECK(largest_difference(output, slice(expected.output.view(), 1, first, count)) <= near_enough);
      }
      CHECK(cache.length(0) == 40);
    }
  });
}

TEST_CASE("cache: a first chunk has the bits of a call without a cache") {
  for_each_cache_model([](const MultiHeadAttention& model, Random& random) {
    for (const std::int64_t count : {1, 5, 70, 200}) {
      CAPTURE(count);
      const Tensor x = random_tensor(random, {2, count, 24});
      Session session(model, {2, Schedule::automatic});
      KvCache cache(model.config(), {2, 256});
      CHECK(same_bits(step(session, x, 0, count, cache), run(model, tokens(x, 0, count, nullptr)).output));
    }
  });
}

TEST_CASE("cache: capacity and spare room change no bit") {
  for_each_cache_model([](const MultiHeadAttention& model, Random& random) {
    const Tensor x = random_tensor(random, {1, 30, 24});
    Session session(model, {1, Schedule::automatic});
    KvCache exact(model.config(), {1, 30}), roomy(model.config(), {1, 999}),
        circular(model.config(), {1, 30, DType::f32, true});
    for (std::int64_t first = 0; first < 30; first += 3) {
      const Tensor expected = step(session, x, first, 3, exact);
      CHECK(same_bits(step(session, x, first, 3, roomy), expected));
      CHECK(same_bits(step(session, x, first, 3, circular), expected));
    }
  });
}

TEST_CASE("cache: a circular one that has forgotten is a window over all tokens") {
  for_each_cache_model([](const MultiHeadAttention& model, Random& random) {
    const Tensor x = random_tensor(random, {2, 60, 24});
    Session session(model, {1, Schedule::automatic});
    for (const std::int64_t capacity : {1, 7, 16}) {
      CAPTURE(capacity);
      KvCache circular(model.config(), {2, capacity, DType::f32, true}), all(model.config(), {2, 60});
      for (std::int64_t first = 0; first < 60; ++first) {
        const Tensor actual = step(session, x, first, 1, circular);
        AttentionInputs inputs = tokens(x, first, 1, &all);
        inputs.window.left = capacity - 1;
        Tensor expected({2, 1, 24});
        AttentionOutputs outputs;
        outputs.output = expected.mutable_view();
        session.run(inputs, outputs);
        CHECK(same_bits(actual, expected));
      }
      CHECK(circular.oldest(1) == 60 - capacity);
    }
  });
}

TEST_CASE("cache: keys and values of cross-attention, computed once") {
  for_each_cache_model([](const MultiHeadAttention& model, Random& random) {
    const Tensor memory = random_tensor(random, {2, 50, 24}), x = random_tensor(random, {2, 9, 24});
    Session session(model, {2, Schedule::automatic});
    KvCache cache(model.config(), {2, 50});
    AttentionInputs keys;
    keys.key = keys.value = memory.view();
    session.append(cache, keys);
    CHECK(cache.length(1) == 50);
    for (std::int64_t count : {1, 9}) {
      AttentionInputs direct = inputs_of(slice(x.view(), 1, 0, count), memory, memory), kept = direct;
      direct.causal_alignment = kept.causal_alignment = CausalAlignment::upper_left;
      kept.key = kept.value = {};
      kept.cache = &cache;
      Tensor output({2, count, 24});
      AttentionOutputs outputs;
      outputs.output = output.mutable_view();
      session.run(kept, outputs);
      CHECK(same_bits(output, run(model, direct).output));
      CHECK(cache.length(1) == 50);
    }
  });
}
