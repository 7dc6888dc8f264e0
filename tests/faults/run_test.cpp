// Every allocation of a call fails once: random calls with every schedule, mask, cache and output. Afterwards the same
// session gives what it would have given.
#include "run.hpp"
#include "each_failure.hpp"
#include "headwise/profile.hpp"
#include "isas.hpp"

using namespace headwise;
using namespace differential;

namespace {

constexpr std::uint64_t seed = 12;

// A case up to one of its calls.
struct Stage {
  const Case& one;
  const MultiHeadAttention& model;
  std::size_t step;

  const Call& call() const { return one.calls[step]; }
  Session session() const { return Session(model, call().options); }
  AttentionInputs inputs(std::optional<KvCache>& cache) const {
    AttentionInputs inputs = call().inputs;
    inputs.cache = cache ? &*cache : nullptr;
    return inputs;
  }
  // The cache after the calls before, in sessions of their own.
  std::optional<KvCache> cache() const {
    std::optional<KvCache> cache;
    if (!one.cache) return cache;
    cache.emplace(one.layer.weights.config, *one.cache);
    for (std::size_t i = 0; i < step; ++i) {
      Session before(model, one.calls[i].options);
      for (const CacheAction& action : one.calls[i].before) apply(action, before, *cache);
      run_call(before, one.calls[i], &*cache, Ask::everything);
    }
    return cache;
  }
  void act(Session& session, KvCache& cache) const {
    for (const CacheAction& action : call().before) apply(action, session, cache);
  }
  Results run(Session& session, std::optional<KvCache>& cache) const {
    return run_call(session, call(), cache ? &*cache : nullptr, Ask::everything);
  }
  Results expected() const {
    Session session = this->session();
    std::optional<KvCache> cache = this->cache();
    if (cache) act(session, *cache);
    return run(session, cache);
  }
};

// All calls of random cases that are not refused. Every tenth case only where oneDNN multiplies: a session takes
// milliseconds there.
template <class Use>
void for_each_stage(std::int64_t first, std::int64_t count, const Use& use) {
  for (std::int64_t number = first; number < first + count; ++number) {
    const Case one = make_case(seed, number);
    for (const std::string& isa : running_isas()) {
      const bool slow = one.layer.projected && (isa == "sse2" || isa == "reference");
      if (slow && number % 10 != 0) continue;
      const MultiHeadAttention model = make_model(one.layer, isa);
      for (std::size_t step = 0; step < one.calls.size(); ++step) {
        const Stage stage{one, model, step};
        const Results expected = stage.expected();
        CAPTURE(number);
        CAPTURE(isa);
        CAPTURE(step);
        if (!expected.refused) use(stage, expected);
      }
    }
  }
}

void check_run(const Stage& stage, const Results& expected) {
  fail_each_allocation([&](Fault& fault) {
    Session session = stage.session();
    std::optional<KvCache> cache = stage.cache();
    if (cache) stage.act(session, *cache);
    std::optional<KvCache> tried = cache;
    const bool passed = fault([&] { session.run(stage.inputs(tried), stage.call().outputs); });
    CHECK(compare_bits(expected, stage.run(session, passed ? cache : tried)) == "");
  });
}

void check_profile(const Stage& stage, const Results& expected) {
  fail_each_allocation([&](Fault& fault) {
    Session session = stage.session();
    std::optional<KvCache> cache = stage.cache();
    if (cache) stage.act(session, *cache);
    std::optional<KvCache> tried = cache;
    fault([&] { session.profile(stage.inputs(tried), stage.call().outputs, {.max_spans = 64}); });
    CHECK(compare_bits(expected, stage.run(session, cache)) == "");
  });
}

void check_explain(const Stage& stage, const Results& expected) {
  fail_each_allocation([&](Fault& fault) {
    Session session = stage.session();
    std::optional<KvCache> cache = stage.cache();
    if (cache) stage.act(session, *cache);
    fault([&] { session.explain(stage.inputs(cache), stage.call().outputs).to_string(); });
    CHECK(compare_bits(expected, stage.run(session, cache)) == "");
  });
}

// An action that failed is done again and must find the cache as it was.
void check_actions(const Stage& stage, const Results& expected) {
  for (std::size_t a = 0; a < stage.call().before.size(); ++a) {
    CAPTURE(a);
    fail_each_allocation([&](Fault& fault) {
      Session session = stage.session();
      std::optional<KvCache> cache = stage.cache();
      for (std::size_t i = 0; i < stage.call().before.size(); ++i) {
        const CacheAction& action = stage.call().before[i];
        const bool done = i == a && fault([&] { apply(action, session, *cache); });
        if (!done) apply(action, session, *cache);
      }
      CHECK(compare_bits(expected, stage.run(session, cache)) == "");
    });
  }
}

}  // namespace

TEST_CASE("out of memory: random calls") {
  for_each_stage(0, 30, check_run);
}

TEST_CASE("out of memory: profiles of random calls") {
  for_each_stage(60, 5, check_profile);
}

TEST_CASE("out of memory: explanations of random calls") {
  for_each_stage(80, 20, check_explain);
}

TEST_CASE("out of memory: what is done to caches") {
  for_each_stage(100, 60, check_actions);
}
