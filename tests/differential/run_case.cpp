#include <iterator>

#include "run.hpp"

namespace differential {

using namespace headwise;

MultiHeadAttention make_model(const Layer& layer, const std::string& isa) {
  ModelOptions options = layer.options;
  options.isa = isa;
  return layer.projected ? MultiHeadAttention(layer.weights, options)
                         : MultiHeadAttention::without_projections(layer.weights, options);
}

void apply(const CacheAction& action, Session& session, KvCache& cache) {
  using Kind = CacheAction::Kind;
  switch (action.kind) {
    case Kind::append:
      return session.append(cache, action.inputs);
    case Kind::append_heads:
      return cache.append(action.inputs.key, action.inputs.value, action.inputs.key_lengths);
    case Kind::truncate:
      return cache.truncate(action.row, action.count);
    case Kind::roll_back:
      return cache.roll_back(action.row, action.count);
    case Kind::copy_row:
      return cache.copy_row(action.row, action.count);
    case Kind::clear:
      return cache.clear();
    case Kind::fork: {
      KvCache copy = cache.fork();
      cache.clear();
      cache = std::move(copy);
    }
  }
}

namespace {

// One way to run a case; each has a session and a cache of its own.
struct Lane {
  SessionOptions options;
  Ask ask;
  std::optional<KvCache> cache{};
};

Results run_lane(const MultiHeadAttention& model, const Call& call, Lane& lane) {
  Session session(model, lane.options);
  KvCache* cache = lane.cache ? &*lane.cache : nullptr;
  for (const CacheAction& action : call.before) apply(action, session, *cache);
  return run_call(session, call, cache, lane.ask);
}

// What must be refused, and the word that the error must name.
std::string expected_refusal(const Layer& layer, const Call& call, const std::string& isa) {
  const bool f64 = call.inputs.query.dtype == DType::f64;
  if (f64 && (isa != "reference" || layer.config.rotary.dim > 0)) return "f64";
  return call.refusal;
}

std::string check_refusal(const Results& results, const std::string& word) {
  if (word.empty()) return results.refused ? "was refused: " + results.error : "";
  if (!results.refused) return "was not refused; expected an error about " + word;
  if (results.error.find(word) == std::string::npos) return "the error does not name " + word + ": " + results.error;
  return results.in_place ? "" : "an output was written though the call was refused";
}

std::string run_step(const Layer& layer, const MultiHeadAttention& model, const Call& call, const Expected& expected,
                     std::vector<Lane>& lanes, Shares& shares, std::int64_t& refusals) {
  const Results first = run_lane(model, call, lanes[0]);
  const std::string word = expected_refusal(layer, call, model.isa());
  std::string problem = check_refusal(first, word);
  if (!problem.empty() || first.refused) {
    refusals += problem.empty() ? 1 : 0;
    return problem;
  }
  problem = compare(call, expected, first, precision_of(call), shares);
  for (std::size_t i = 1; i < lanes.size() && problem.empty(); ++i) {
    const Results other = run_lane(model, call, lanes[i]);
    problem = other.refused ? "was refused: " + other.error : compare_bits(first, other);
    if (!problem.empty())
      problem +=
          lanes[i].ask == Ask::output_only ? " when only output is asked for" : " with other threads or schedule";
  }
  return problem;
}

std::vector<Lane> make_lanes(const Case& one) {
  const SessionOptions& options = one.calls.front().options;
  std::vector<Lane> lanes;
  lanes.push_back({options, Ask::everything, {}});
  lanes.push_back({{1, Schedule::wide}, Ask::output_only, {}});
  lanes.push_back({{options.threads % 3 + 1, Schedule((int(options.schedule) + 1) % 3)}, Ask::everything, {}});
  for (Lane& lane : lanes) {
    if (one.cache) lane.cache.emplace(one.layer.weights.config, *one.cache);
  }
  return lanes;
}

}  // namespace

Precision precision_of(const Call& call) {
  Precision precision;
  if (call.inputs.query.dtype != DType::f64) return precision;
  precision.eps = 0x1p-52;
  precision.lost = 1e-300;
  return precision;
}

std::vector<Expected> evaluate(const Case& one) {
  std::vector<Expected> all;
  std::optional<Float64Cache> cache;
  if (one.cache) cache.emplace(*one.cache);
  for (const Call& call : one.calls) {
    const Precision precision = precision_of(call);
    for (const CacheAction& action : call.before) apply(action, one.layer, *cache, precision);
    all.push_back(call.refusal.empty() ? evaluate(one.layer, call, cache ? &*cache : nullptr, precision) : Expected{});
  }
  return all;
}

std::string run_case(const Case& one, const std::vector<Expected>& expected, const std::string& isa, Shares& shares,
                     std::int64_t& refusals) {
  std::size_t step = 0;
  try {
    const MultiHeadAttention model = make_model(one.layer, isa);
    std::vector<Lane> lanes = make_lanes(one);
    for (; step < one.calls.size(); ++step) {
      const std::string problem = run_step(one.layer, model, one.calls[step], expected[step], lanes, shares, refusals);
      if (!problem.empty()) return "call " + std::to_string(step) + ": " + problem;
    }
  } catch (const Error& error) {
    return "before call " + std::to_string(step) + ": error " + error.what();
  }
  return "";
}

}  // namespace differential
