#include "work.hpp"

#include "choose.hpp"

using namespace headwise;
using namespace differential;

namespace {

// self_attention_only fits one call; here a layer serves many.
Case draw(const Recipe& recipe) {
  Case one = make_case(recipe.seed, recipe.number);
  if (recipe.calls == 0) return one;
  one.cache.reset();
  one.calls.clear();
  Random random(recipe.seed + std::uint64_t(recipe.number));
  while (int(one.calls.size()) < recipe.calls) {
    choose_plain_call(one, random);
    one.layer.options.self_attention_only = false;
  }
  return one;
}

std::optional<KvCache> make_cache(const Job& job) {
  if (!job.one.cache) return std::nullopt;
  return KvCache(job.one.layer.weights.config, *job.one.cache);
}

Results run_step(Session& session, const Call& call, std::optional<KvCache>& cache) {
  for (const CacheAction& action : call.before) apply(action, session, *cache);
  return run_call(session, call, cache ? &*cache : nullptr, Ask::everything);
}

// Serially: one thread, and a session of its own for every call.
std::vector<Results> run_serially(const Job& job) {
  std::vector<Results> all;
  std::optional<KvCache> cache = make_cache(job);
  for (const Call& call : job.one.calls) {
    Session session(*job.model, {.threads = 1});
    all.push_back(run_step(session, call, cache));
  }
  return all;
}

}  // namespace

Job make_job(const Recipe& recipe) {
  Job job{recipe, draw(recipe), nullptr, nullptr};
  job.model = std::make_shared<const MultiHeadAttention>(make_model(job.one.layer, ""));
  job.expected = std::make_shared<const std::vector<Results>>(run_serially(job));
  return job;
}

Job copy_of(const Job& job) {
  return {job.recipe, draw(job.recipe), job.model, job.expected};
}

SoakWorker::SoakWorker(const Job& own, const std::deque<Job>& others, int threads)
    : own_(copy_of(own)),
      options_{threads, Schedule::automatic},
      session_(*own.model, options_),
      random_(own.recipe.seed) {
  for (const Job& job : others) others_.push_back(copy_of(job));
}

void SoakWorker::work(const std::atomic<bool>& stop) {
  while (!stop && problem_.empty()) {
    random_.chance(0.1) ? run_other_job() : run_own_call();
    // A server's sessions come and go as well.
    if (random_.chance(0.002)) session_ = Session(*own_.model, options_);
  }
}

void SoakWorker::run_own_call() {
  const auto at = std::size_t(random_.below(std::int64_t(own_.one.calls.size())));
  std::optional<KvCache> no_cache;
  check((*own_.expected)[at], run_step(session_, own_.one.calls[at], no_cache));
}

// All calls of a case, with a session and a cache that are made for it.
void SoakWorker::run_other_job() {
  const Job& job = others_[std::size_t(random_.below(std::int64_t(others_.size())))];
  Session session(*job.model, options_);
  std::optional<KvCache> cache = make_cache(job);
  for (std::size_t i = 0; i < job.one.calls.size(); ++i) {
    check((*job.expected)[i], run_step(session, job.one.calls[i], cache));
  }
}

void SoakWorker::check(const Results& expected, const Results& actual) {
  ++calls_;
  const bool same = expected.refused == actual.refused && expected.error == actual.error;
  const std::string bits = same ? compare_bits(expected, actual) : "error " + actual.error;
  if (!bits.empty()) problem_ = "case " + std::to_string(own_.recipe.number) + ": " + bits;
}
