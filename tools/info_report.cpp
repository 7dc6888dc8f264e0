#include "info_report.hpp"

#include <nlohmann/json.hpp>

#include "json_output.hpp"
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

}  // namespace

std::string info_text(const Machine& machine, const IsaInUse& in_use) {
  Table table("");
  table.row({"headwise", version()});
  table.row({"oneDNN", onednn_version()});
  table.row({"CPU", printable(machine.cpu_name)});
  for (const Cache& cache : machine.caches) table.row({"cache", cache_words(cache)});
  for (const IsaInfo& isa : list_isas()) table.row({"kernels", isa.name + ": " + isa_words(isa, in_use.name)});
  if (!in_use.problem.empty()) table.row({"kernels", "none in use: " + printable(in_use.problem)});
  table.row({"threads", std::to_string(default_threads()) + " by default: " + thread_reason(machine)});
  return table.to_string();
}

std::string info_json(const Machine& machine, const IsaInUse& in_use) {
  return json_line({{"version", version()},
                    {"onednn_version", onednn_version()},
                    {"cpu", json_text(machine.cpu_name)},
                    {"isa", text_or_null(in_use.name)},
                    {"isa_problem", text_or_null(in_use.problem)},
                    {"isas", isas_json()},
                    {"threads", default_threads()},
                    {"threads_reason", json_text(thread_reason(machine))},
                    {"affinity_cpus", machine.affinity_cpus},
                    {"online_cpus", machine.online_cpus},
                    {"caches", caches_json(machine)}});
}

}  // namespace headwise::tools
