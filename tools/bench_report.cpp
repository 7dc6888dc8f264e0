#include "bench_report.hpp"

#include <nlohmann/json.hpp>

#include "bench_rows.hpp"
#include "text.hpp"

namespace headwise::tools {
namespace {

std::string percent(std::optional<double> share) {
  return share ? fixed(100 * *share, 1) : "-";
}

struct Figure {
  const char* title;
  std::string (*cell)(const BenchRecord&);
};
constexpr Figure figures[] = {{"median", [](const BenchRecord& r) { return milliseconds(r.median); }},
                              {"p10", [](const BenchRecord& r) { return milliseconds(r.p10); }},
                              {"p90", [](const BenchRecord& r) { return milliseconds(r.p90); }},
                              {"p99", [](const BenchRecord& r) { return milliseconds(r.p99); }},
                              {"min", [](const BenchRecord& r) { return milliseconds(r.min); }},
                              {"GF/s", [](const BenchRecord& r) { return fixed(r.flop_rate() * 1e-9, 1); }},
                              {"% peak", [](const BenchRecord& r) { return percent(r.peak_share()); }},
                              {"GB/s", [](const BenchRecord& r) { return fixed(r.bytes / r.median * 1e-9, 1); }}};

std::vector<BenchCase> cases_of(const std::vector<BenchRecord>& records) {
  std::vector<BenchCase> cases;
  for (const BenchRecord& record : records) cases.push_back(record.what);
  return cases;
}

Rows table_rows(const std::vector<BenchRecord>& records) {
  Rows rows = case_rows(cases_of(records));
  for (const Figure& figure : figures) {
    rows[0].push_back(figure.title);
    for (std::size_t i = 0; i < records.size(); ++i) rows[i + 1].push_back(figure.cell(records[i]));
  }
  return rows;
}

std::string origin_lines(const BenchRecord& r, const char* line_end) {
  return "headwise " + printable(r.version) + " (commit " + printable(r.commit) + "), oneDNN " + printable(r.onednn) +
         ", " + printable(r.compiler) + ", " + printable(r.build_type) + " build" + line_end + printable(r.cpu) + ", " +
         printable(r.date) + line_end;
}

std::string effort_words(const BenchEffort& effort) {
  return plural(effort.rounds, "round") + " of " + milliseconds(effort.min_time / effort.rounds) +
         " ms or more; times in ms of single calls; GB/s of all that the steps read and write";
}

std::string table_text(const BenchResults& results, bool markdown) {
  const std::vector<BenchRecord>& records = results.records.records;
  if (records.empty()) return "Nothing was measured.\n";
  const char* line_end = markdown ? "  \n" : "\n";
  std::string text = origin_lines(records[0], line_end) + common_words(cases_of(records)) + line_end +
                     effort_words(records[0].effort) + "\n\n" + rows_text(table_rows(records), markdown);
  if (!results.records.complete) text += "\nINCOMPLETE: it was interrupted; these are the rounds until then.\n";
  if (results.comparison) text += "\n" + comparison_text(*results.comparison, markdown);
  return text;
}

// RFC 4180: quoted where it must be.
std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_value(const Json& value) {
  if (value.is_null()) return "";
  return csv_cell(value.is_string() ? value.get<std::string>() : value.dump());
}

// The fields of JSON but its lists, and the verdict where there was something to compare with.
std::string csv_text(const BenchResults& results) {
  std::string heading, lines;
  for (const BenchRecord& record : results.records.records) {
    Json object = to_json(record);
    object["complete"] = results.records.complete;
    if (results.comparison) object.update(verdict_json(*results.comparison, record.what.name()));
    std::string line, names;
    for (const auto& [name, value] : object.items()) {
      if (value.is_array()) continue;
      line += (line.empty() ? "" : ",") + csv_value(value);
      names += (names.empty() ? "" : ",") + name;
    }
    heading = names + "\r\n";
    lines += line + "\r\n";
  }
  return heading + lines;
}

std::string json_text_of(const BenchResults& results) {
  Json object = to_json(results.records);
  if (results.comparison) object["comparison"] = to_json(*results.comparison);
  return json_line(object);
}

}  // namespace

std::string bench_text(const BenchResults& results, BenchFormat format) {
  if (format == BenchFormat::json) return json_text_of(results);
  if (format == BenchFormat::csv) return csv_text(results);
  return table_text(results, format == BenchFormat::markdown);
}

}  // namespace headwise::tools
