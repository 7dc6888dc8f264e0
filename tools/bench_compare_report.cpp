#include <nlohmann/json.hpp>

#include "bench_compare.hpp"
#include "bench_rows.hpp"
#include "statistics.hpp"
#include "text.hpp"

namespace headwise::tools {
namespace {

std::string verdict_word(Verdict verdict) {
  const std::string word = name_of(verdict_names(), verdict);
  return verdict == Verdict::loss ? "LOSS" : word;
}

Rows difference_rows(const BenchComparison& comparison) {
  std::vector<BenchCase> cases;
  for (const BenchDifference& d : comparison.differences) cases.push_back(d.what);
  Rows rows = case_rows(cases);
  for (const char* title : {"before", "now", "ratio", "noise %", "verdict"}) rows[0].push_back(title);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const BenchDifference& d = comparison.differences[i];
    for (const std::string& cell : {milliseconds(d.before), milliseconds(d.now), fixed(d.ratio, 3),
                                    fixed(100 * d.noise, 1), verdict_word(d.verdict)}) {
      rows[i + 1].push_back(cell);
    }
  }
  return rows;
}

std::string list_text(const std::vector<std::string>& names, const char* what) {
  std::string text;
  for (const std::string& name : names) text += std::string("- ") + what + ": " + printable(name) + "\n";
  return text;
}

std::string summary(const BenchComparison& comparison) {
  std::string text;
  for (const auto& [word, verdict] : verdict_names()) {
    const auto count = static_cast<std::int64_t>(comparison.count(verdict));
    if (verdict == Verdict::unclear && count == 0) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + word;
  }
  if (comparison.differences.empty()) return text + "\n";
  std::vector<double> noises;
  for (const BenchDifference& difference : comparison.differences) noises.push_back(difference.noise);
  return text + "; half of the cases would not show a change below " + fixed(100 * median(noises), 1) + " %\n";
}

Json list_json(const std::vector<std::string>& names) {
  Json array = Json::array();
  for (const std::string& name : names) array.push_back(json_text(name));
  return array;
}

Json to_json(const BenchDifference& d) {
  return {{"case", json_text(d.what.name())},
          {"before_ms", json_number(d.before * 1e3)},
          {"now_ms", json_number(d.now * 1e3)},
          {"time_ratio", json_number(d.ratio)},
          {"peak_adjusted_ratio", json_number(d.adjusted)},
          {"noise", json_number(d.noise)},
          {"verdict", name_of(verdict_names(), d.verdict)}};
}

}  // namespace

std::string comparison_text(const BenchComparison& comparison, bool markdown) {
  std::string text = "Against " + printable(comparison.file) + " (ms, medians of rounds):\n";
  for (const std::string& warning : comparison.warnings) text += "WARNING: " + warning + "\n";
  if (markdown) text += "\n";
  if (!comparison.differences.empty()) text += rows_text(difference_rows(comparison), markdown);
  if (markdown) text += "\n";
  text += list_text(comparison.only_before, "only before") + list_text(comparison.only_now, "only now");
  return text + summary(comparison);
}

Json verdict_json(const BenchComparison& comparison, const std::string& name) {
  Json object{{"before_ms", nullptr}, {"time_ratio", nullptr}, {"noise", nullptr}, {"verdict", "only now"}};
  for (const BenchDifference& difference : comparison.differences) {
    if (difference.what.name() != name) continue;
    const Json all = to_json(difference);
    for (auto& [key, value] : object.items()) value = all[key];
  }
  return object;
}

Json to_json(const BenchComparison& comparison) {
  Json differences = Json::array();
  for (const BenchDifference& difference : comparison.differences) differences.push_back(to_json(difference));
  return {{"file", json_text(comparison.file)},
          {"gains", comparison.count(Verdict::gain)},
          {"losses", comparison.count(Verdict::loss)},
          {"warnings", list_json(comparison.warnings)},
          {"differences", differences},
          {"only_before", list_json(comparison.only_before)},
          {"only_now", list_json(comparison.only_now)}};
}

}  // namespace headwise::tools
