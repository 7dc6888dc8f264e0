#include "view_report.hpp"

#include <nlohmann/json.hpp>

#include "head_source.hpp"
#include "json_output.hpp"
#include "text.hpp"

namespace headwise::tools {
namespace {

// How many heads follow each pattern, in the order of the rules.
std::vector<std::pair<std::string, std::int64_t>> pattern_counts(const HeadWeights& weights) {
  std::vector<std::pair<std::string, std::int64_t>> counts;
  for (const HeadPattern& pattern : head_patterns()) counts.emplace_back(pattern.name, 0);
  for (const auto& layer : all_statistics(weights)) {
    for (const HeadStatistics& statistics : layer) {
      const HeadPattern* found = find_pattern(statistics);
      if (found != nullptr) ++counts[static_cast<std::size_t>(found - head_patterns().data())].second;
    }
  }
  return counts;
}

std::string pattern_text(const HeadWeights& weights) {
  if (const std::string why = why_no_patterns(TokenKinds(weights.tokens)); !why.empty()) return "none: " + why;
  std::string text;
  std::int64_t rest = static_cast<std::int64_t>(weights.layers.size()) * weights.heads;
  for (const auto& [name, count] : pattern_counts(weights)) {
    if (count > 0) text += name + " " + std::to_string(count) + ", ";
    rest -= count;
  }
  return text + "no simple pattern " + std::to_string(rest);
}

}  // namespace

std::string view_text(const HeadWeights& weights, const std::vector<WrittenFile>& files) {
  Table table("");
  table.row({"model", printable(weights.title) + ", " + head_counts(weights)});
  table.row({"text", token_line(weights)});
  table.row({"patterns", pattern_text(weights)});
  for (const WrittenFile& file : files) {
    const std::string size = file.bytes > 0 ? byte_text(file.bytes) + " " : "";
    table.row({file.kind, size + "to " + printable(file.path)});
  }
  return table.to_string();
}

std::string view_json(const HeadWeights& weights, const std::vector<WrittenFile>& files) {
  Json object{{"model", json_text(weights.title)},
              {"layers", weights.layers},
              {"heads", weights.heads},
              {"tokens", Json::array()},
              {"patterns", Json::object()},
              {"files", Json::object()},
              {"notes", Json::array()}};
  for (const std::string& token : weights.tokens) object["tokens"].push_back(json_text(token));
  for (const auto& [name, count] : pattern_counts(weights)) object["patterns"][name] = count;
  for (const WrittenFile& file : files) object["files"][file.kind] = json_text(file.path);
  for (const std::string& note : weights.notes) object["notes"].push_back(json_text(note));
  return json_line(object);
}

}  // namespace headwise::tools
