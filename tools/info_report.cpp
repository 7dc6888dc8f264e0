#include "info_report.hpp"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "console.hpp"
#include "json_output.hpp"
#include "layer_options.hpp"
#include "text.hpp"

namespace headwise::tools {
namespace {

std::string isa_words(const IsaInfo& isa, const std::string& in_use) {
  if (isa.name == in_use) return "in use";
  if (!isa.compiled) return "not in this build";
  return isa.present ? "present" : "not on this CPU";
}

std::string cache_words(const Cache& cache) {
  std::string text = "L" + std::to_string(cache.level) + " " + cache.type + " " + cache.size;
  return cache.shared_by.empty() ? text : text + " (CPU " + cache.shared_by + ")";
}

Json caches_json(const Machine& machine) {
  Json array = Json::array();
  for (const Cache& cache : machine.caches) {
    array.push_back({{"level", cache.level},
                     {"type", cache.type},
                     {"size", json_text(cache.size)},
                     {"cpus", json_text(cache.shared_by)}});
  }
  return array;
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : json_text(text);
}

Json isas_json() {
  Json array = Json::array();
  for (const IsaInfo& isa : list_isas()) {
    array.push_back({{"name", isa.name}, {"compiled", isa.compiled}, {"present", isa.present}});
  }
  return array;
}

std::string omp_variable() {
  const char* value = std::getenv("OMP_NUM_THREADS");
  return value == nullptr ? "" : value;
}

// The limit that counts, then the others.
void add_threads(Table& table, const ThreadLimits& limits) {
  const std::string variable = omp_variable();
  const std::string set = variable.empty() ? "not set" : "'" + printable(variable) + "'";
  const std::string quota =
      limits.quota_cpus > 0 ? "quota " + significant(limits.quota_cpus, 3) + " CPUs" : "no CPU quota";
  table.row({"threads", std::to_string(limits.threads) + " by default: " + printable(limits.reason)});
  table.row({"", "affinity mask " + std::to_string(limits.affinity_cpus) + " CPUs, " + quota + ", OpenMP " +
                     std::to_string(limits.openmp_threads) + " (OMP_NUM_THREADS is " + set + ")"});
}

}  // namespace

// A wrong HEADWISE_ISA is one of the things that the report is there to show.
IsaInUse find_isa() try { return {checked_isa(""), ""}; } catch (const CommandError& error) {
  return {"", error.what()};
}

std::string info_text(const Machine& machine, const IsaInUse& in_use) {
  Table table("");
  const BuildInfo build = build_info();
  table.row({"headwise", version()});
  table.row({"build", build.type + ", " + build.compiler + ", commit " + build.commit});
  table.row({"oneDNN", onednn_version()});
  table.row({"CPU", printable(machine.cpu_name)});
  for (const Cache& cache : machine.caches) table.row({"cache", cache_words(cache)});
  for (const IsaInfo& isa : list_isas()) table.row({"kernels", isa.name + ": " + isa_words(isa, in_use.name)});
  if (!in_use.problem.empty()) table.row({"kernels", "none in use: " + printable(in_use.problem)});
  add_threads(table, thread_limits());
  return table.to_string();
}

std::string info_json(const Machine& machine, const IsaInUse& in_use) {
  const ThreadLimits limits = thread_limits();
  const BuildInfo build = build_info();
  return json_line({{"version", version()},
                    {"commit", build.commit},
                    {"compiler", build.compiler},
                    {"build_type", build.type},
                    {"onednn_version", onednn_version()},
                    {"cpu", json_text(machine.cpu_name)},
                    {"isa", text_or_null(in_use.name)},
                    {"isa_problem", text_or_null(in_use.problem)},
                    {"isas", isas_json()},
                    {"threads", limits.threads},
                    {"threads_reason", json_text(limits.reason)},
                    {"affinity_cpus", limits.affinity_cpus},
                    {"online_cpus", limits.online_cpus},
                    {"quota_cpus", limits.quota_cpus > 0 ? Json(limits.quota_cpus) : Json(nullptr)},
                    {"quota_file", text_or_null(limits.quota_file)},
                    {"openmp_threads", limits.openmp_threads},
                    {"omp_num_threads", text_or_null(omp_variable())},
                    {"caches", caches_json(machine)}});
}

}  // namespace headwise::tools
