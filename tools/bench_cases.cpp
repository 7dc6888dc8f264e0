// From options to cases and back.
#include <algorithm>

#include "bench_options.hpp"
#include "text.hpp"

namespace headwise::tools {
namespace {

// Names of ISAs, each once, "all" and "auto" resolved.
std::vector<std::string> resolved_isas(const std::vector<std::string>& words) {
  std::vector<std::string> isas;
  for (const std::string& word : words) {
    if (word != "all") isas.push_back(checked_isa(word));
    for (const IsaInfo& isa : list_isas()) {
      if (word == "all" && isa.compiled && isa.present && isa.name != "reference") isas.push_back(isa.name);
    }
  }
  return isas;
}

void check_sizes(const BenchCase& one) {
  const bool own_keys = one.ask != BenchAsk::decode && one.ask != BenchAsk::ragged;
  if (one.shape.keys == 0 || own_keys) return;
  throw UsageError(name_of(ask_names(), one.ask) + " takes its keys from the length; leave :keys out of " +
                   to_text(one.shape));
}

void add_once(std::vector<BenchCase>& cases, const BenchCase& one) {
  check_sizes(one);
  if (std::find(cases.begin(), cases.end(), one) == cases.end()) cases.push_back(one);
}

}  // namespace

std::vector<BenchCase> bench_cases(const BenchOptions& options, const std::string& layer) {
  const std::vector<std::string> isas = resolved_isas(options.isas);
  std::vector<BenchCase> cases;
  const auto add_runs = [&](BenchCase one) {
    for (const std::string& isa : isas) {
      for (const std::int64_t threads : options.threads) {
        one.isa = isa;
        one.threads = threads > 0 ? static_cast<int>(threads) : default_threads();
        add_once(cases, one);
      }
    }
  };
  for (const BenchRequest& request : options.requests) {
    for (const BenchPart part : request.parts.empty() ? options.parts : request.parts) {
      for (const BenchAsk ask : request.asks.empty() ? options.asks : request.asks) {
        for (const DType dtype : options.dtypes) add_runs({part, ask, request.shape, dtype, "", 1, layer});
      }
    }
  }
  return cases;
}

std::string repeat_command(const BenchCase& one, const BenchOptions& options) {
  const BenchEffort& effort = options.effort;
  const std::string file = options.layer_arguments.empty() ? "" : " " + options.layer_arguments;
  return "headwise bench" + file + " --shapes " + to_text(one.shape) + " --part " + name_of(part_names(), one.part) +
         " --ask " + name_of(ask_names(), one.ask) + " --dtype " + dtype_name(one.dtype) + " --isa " + one.isa +
         " --threads " + std::to_string(one.threads) + " --rounds " + std::to_string(effort.rounds) + " --min-time " +
         shortest(effort.min_time) + " --warmup " + std::to_string(effort.warmup);
}

}  // namespace headwise::tools
