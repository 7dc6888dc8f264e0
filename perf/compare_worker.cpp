// The side of headwise in perf/compare.py: answers requests that are lines of JSON (see perf/compare/worker.py) until
// its input ends. Usage: compare_worker THREADS
#include <headwise/headwise.hpp>
#include <headwise/limits.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>

#include "compare_cases.hpp"

namespace {

using nlohmann::json;
using Run = std::function<void()>;

constexpr double samples_a_round = 500;
constexpr double limit_seconds = 0.05;  // for each measurement of a limit

double seconds_of(const Run& run, int calls = 1) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / calls;
}

// As `sample` of perf/compare/peers/protocol.py: one call that is not counted, then for about `seconds`, short calls
// some at a time.
std::vector<double> sample(const Run& run, double seconds) {
  const double once = seconds_of(run);
  const int calls = std::max(1, static_cast<int>(seconds / samples_a_round / std::max(once, 1e-9)));
  std::vector<double> times;
  double spent = 0;
  while (times.empty() || spent < seconds) {
    times.push_back(seconds_of(run, calls));
    spent += times.back() * calls;
  }
  return times;
}

class Worker {
 public:
  explicit Worker(int threads) : threads_(threads) {}

  json answer(const std::string& line) {
    const json request = json::parse(line);
    const std::string operation = request.at("op");
    if (operation == "prepare") return prepare(request);
    if (operation == "check") return check(request);
    if (operation == "time") return time(request);
    if (operation == "trace") return trace(request);
    if (operation == "drop") return drop();
    throw std::runtime_error("no operation is named '" + operation + "'");
  }

 private:
  struct Prepared {
    std::unique_ptr<CompareCase> call;
    std::string isa;
    std::int64_t cache_bytes;  // of a decoding step; else 0
  };

  json prepare(const json& request) {
    const json& described = request.at("case");
    const CompareRequest wanted{request.at("folder"),
                                request.at("encoder"),
                                described.at("kind"),
                                described.at("variant"),
                                described.at("isa"),
                                described.at("sizes").at("heads"),
                                threads_};
    cases_[request.at("id")] = {make_compare_case(wanted), wanted.isa, request.at("cache_bytes")};
    return {{"configuration", find(request).call->configuration()}};
  }

  json check(const json& request) {
    CompareCase& call = *find(request).call;
    if (request.contains("length")) {
      call.run_length(request["length"]);
    } else {
      call.run();
    }
    return {{"results", call.save(request.at("folder"))}};
  }

  // Limits come right after the calls, so that a clock that drifts moves both.
  json time(const json& request) {
    Prepared& prepared = find(request);
    const double seconds = request.at("seconds");
    json answer{{"times", sample([&] { prepared.call->run(); }, seconds)}};
    const headwise::LimitOptions options{.isa = prepared.isa, .threads = threads_, .seconds = limit_seconds};
    if (prepared.call->has_baseline()) {
      answer["baseline"] = sample([&] { prepared.call->run_baseline(); }, seconds);
    } else if (prepared.cache_bytes > 0) {
      answer["bandwidth"] = headwise::measure_read_bandwidth(prepared.cache_bytes / threads_, options);
    } else {
      answer["peak"] = headwise::measure_fma_peak(options);
    }
    return answer;
  }

  json trace(const json& request) {
    CompareCase& call = *find(request).call;
    const int repeats = request.at("repeats");
    call.run_length(request.at("seen"));
    std::vector<double> first, warm;
    for (const std::int64_t length : request.at("lengths")) {
      first.push_back(seconds_of([&] { call.run_length(length); }));
    }
    for (const std::int64_t length : request.at("lengths")) {
      double best = seconds_of([&] { call.run_length(length); });
      for (int i = 1; i < repeats; ++i) best = std::min(best, seconds_of([&] { call.run_length(length); }));
      warm.push_back(best);
    }
    return {{"first", first}, {"warm", warm}};
  }

  json drop() {
    cases_.clear();
    return json::object();
  }

  Prepared& find(const json& request) { return cases_.at(request.at("id")); }

  int threads_;
  std::map<std::string, Prepared> cases_;
};

json versions() {
  json all{{"headwise", headwise::version()}, {"oneDNN", headwise::onednn_version()}};
  all["isa"] = headwise::resolve_isa("");
  return {{"versions", all}};
}

json answer_or_error(Worker& worker, const std::string& line) {
  try {
    return worker.answer(line);
  } catch (const std::exception& error) {
    return {{"error", error.what()}};
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc == 2 ? std::atoi(argv[1]) : 0;
  if (threads < 1) {
    std::cerr << "usage: compare_worker THREADS\n";
    return 2;
  }
  std::cout << versions() << std::endl;
  Worker worker(threads);
  for (std::string line; std::getline(std::cin, line);) std::cout << answer_or_error(worker, line) << std::endl;
}
