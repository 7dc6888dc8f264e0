#include <nlohmann/json.hpp>

#include "inspect_report.hpp"
#include "json_output.hpp"
#include "text.hpp"

namespace headwise::tools {
namespace {

constexpr std::size_t page_width = 80, indent = 4;

std::string row_text(const FamilyRow& row) {
  std::string text = "  " + row.tensors + "\n";
  if (!row.models.empty()) text += "    of: " + row.models + "\n";
  text += row.refusal.empty() ? "    stored as " + row.storage + "\n" : "    not supported: " + row.refusal + "\n";
  return wrapped(text, page_width, indent);
}

}  // namespace

std::string families_text() {
  std::string text =
      "Families (--family), the matrices that make a layer of each, and how they are\nstored. d: size of a head, H "
      "heads, Hkv key/value heads.\n";
  std::string last;
  for (const FamilyRow& row : list_families()) {
    if (row.family != last) text += "\n" + row.family + "\n";
    last = row.family;
    text += row_text(row);
  }
  return text;
}

std::string families_json() {
  Json rows = Json::array();
  for (const FamilyRow& row : list_families()) {
    rows.push_back({{"family", row.family},
                    {"models", row.models},
                    {"tensors", row.tensors},
                    {"storage", row.refusal.empty() ? Json(row.storage) : Json(nullptr)},
                    {"refusal", row.refusal.empty() ? Json(nullptr) : Json(row.refusal)}});
  }
  return json_line({{"families", rows}});
}

}  // namespace headwise::tools
