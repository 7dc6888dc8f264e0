// Caches whose rows go their own ways: forks, copies, rows of different lengths, narrow storage, calls that do not fit.
#include "cached_calls.hpp"

using namespace headwise;

TEST_CASE("cache: a fork goes its own way, and rolling back undoes") {
  for_each_cache_model([](const MultiHeadAttention& model, Random& random) {
    const Tensor x = random_tensor(random, {2, 20, 24}), other = random_tensor(random, {2, 20, 24});
    Session session(model, {1, Schedule::automatic});
    KvCache cache(model.config(), {2, 20}), plain(model.config(), {2, 20});
    step(session, x, 0, 8, cache);
    step(session, x, 0, 8, plain);
    KvCache fork = cache.fork();
    step(session, other, 8, 5, fork);
    CHECK(cache.length(0) == 8);
    CHECK(fork.length(0) == 13);
    for (std::int64_t b = 0; b < 2; ++b) fork.roll_back(b, 5);
    const Tensor expected = step(session, x, 8, 4, plain);
    CHECK(same_bits(step(session, x, 8, 4, cache), expected));
    CHECK(same_bits(step(session, x, 8, 4, fork), expected));
  });
}

TEST_CASE("cache: a row that was copied goes on as its source would") {
  for_each_cache_model([](const MultiHeadAttention& model, Random& random) {
    Tensor x = random_tensor(random, {3, 12, 24});
    Session session(model, {1, Schedule::automatic});
    KvCache cache(model.config(), {3, 12});
    step(session, x, 0, 9, cache);
    cache.copy_row(2, 0);
    const std::int64_t row = 12 * 24;
    std::copy_n(x.data() + 2 * row, row, x.data());  // the same next tokens, too
    const Tensor output = step(session, x, 9, 3, cache);
    CHECK(same_bits(copy_of(slice(output.view(), 0, 0, 1)), copy_of(slice(output.view(), 0, 2, 1))));
  });
}

TEST_CASE("cache: rows of different lengths are rows of their own") {
  for_each_cache_model([](const MultiHeadAttention& model, Random& random) {
    const Tensor x = random_tensor(random, {3, 30, 24});
    Session session(model, {2, Schedule::automatic});
    KvCache cache(model.config(), {3, 30});
    step(session, x, 0, 20, cache);
    const std::int64_t kept[] = {20, 0, 7};
    for (std::int64_t b = 0; b < 3; ++b) cache.truncate(b, kept[b]);
    const Tensor output = step(session, x, 20, 5, cache);
    for (std::int64_t b = 0; b < 3; ++b) {
      CAPTURE(b);
      const Tensor own = copy_of(slice(x.view(), 0, b, 1));
      KvCache alone(model.config(), {1, 30});
      if (kept[b] > 0) step(session, own, 0, kept[b], alone);
      const Tensor expected = step(session, own, 20, 5, alone);
      CHECK(largest_difference(slice(output.view(), 0, b, 1), expected) <= near_enough);
    }
  });
}

TEST_CASE("cache: narrow storage rounds keys and values once") {
  for (const std::string& isa : running_isas()) {
    for (const DType dtype : {DType::f16, DType::bf16}) {
      CAPTURE(isa);
      Random random(71);
      AttentionConfig config = cache_config();
      const auto model = MultiHeadAttention::without_projections(config, {isa, false});
      const Tensor query = random_tensor(random, {1, 4, 25, 6});
      const Tensor key = convert(convert(random_tensor(random, {1, 2, 25, 6}), dtype), DType::f32);
      const Tensor value = convert(convert(random_tensor(random, {1, 2, 25, 5}), dtype), DType::f32);
      KvCache narrow(config, {1, 25, dtype}), wide(config, {1, 25});
      for (KvCache* cache : {&narrow, &wide}) cache->append(key, value);
      AttentionInputs inputs;
      inputs.query = query.view();
      Tensor outputs[2] = {Tensor({1, 4, 25, 5}), Tensor({1, 4, 25, 5})};
      for (int i = 0; i < 2; ++i) {
        inputs.cache = i == 0 ? &narrow : &wide;
        AttentionOutputs out;
        out.output = outputs[i].mutable_view();
        Session(model, {1, Schedule::automatic}).run(inputs, out);
      }
      CHECK(same_bits(outputs[0], outputs[1]));
    }
  }
}

TEST_CASE("cache: a call that does not fit is refused and leaves cache and output alone") {
  Random random(72);
  const MultiHeadAttention model(random_weights(cache_config(), 72));
  Session session(model, {1, Schedule::automatic});
  const Tensor x = random_tensor(random, {2, 12, 24});
  KvCache cache(model.config(), {2, 10}), circular(model.config(), {2, 10, DType::f32, true});
  step(session, x, 0, 8, cache);
  const Tensor keys = copy_of(cache.keys());
  Tensor output = filled({2, 3, 24}, unwritten);
  AttentionOutputs outputs;
  outputs.output = output.mutable_view();
  CHECK_THROWS_AS(session.run(tokens(x, 8, 3, &cache), outputs), Error);
  CHECK(cache.length(0) == 8);
  CHECK(same_bits(copy_of(cache.keys()), keys));
  CHECK(same_bits(output, filled({2, 3, 24}, unwritten)));
  Tensor many = filled({2, 12, 24}, unwritten);
  outputs.output = many.mutable_view();
  CHECK_THROWS_AS(session.run(tokens(x, 0, 12, &circular), outputs), Error);
  CHECK(circular.length(0) == 0);
}
