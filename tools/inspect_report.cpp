#include "inspect_report.hpp"

#include <nlohmann/json.hpp>

#include "inspect_totals.hpp"
#include "json_output.hpp"
#include "layer_sizes.hpp"
#include "layer_words.hpp"
#include "text.hpp"

namespace headwise::tools {
namespace {

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  std::string text;
  for (const std::uint64_t size : shape) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "[" + text + "]";
}

std::string without_prefix(const std::string& name, const std::string& prefix) {
  return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

// Layers whose parts differ in nothing but the prefix are told once.
bool same_parts(const AttentionLayer& a, const AttentionLayer& b) {
  if (a.family != b.family || a.parts.size() != b.parts.size() || a.widths.num_heads != b.widths.num_heads)
    return false;
  for (std::size_t i = 0; i < a.parts.size(); ++i) {
    const auto &left = a.parts[i], &right = b.parts[i];
    const bool same_name = without_prefix(left.tensor, a.prefix) == without_prefix(right.tensor, b.prefix);
    if (left.role != right.role || left.shape != right.shape || !same_name) return false;
  }
  return true;
}

using Group = std::vector<AttentionLayer>;

constexpr std::size_t page_width = 80;

// nullptr when it was not tried.
const Loading* loading_of(const Inspection& inspection, const AttentionLayer& layer) {
  const auto found = inspection.loadings.find(layer.index);
  return found == inspection.loadings.end() ? nullptr : &found->second;
}

std::string loading_text(const Loading* loading) {
  if (loading == nullptr) return "";
  if (!loading->weights)
    return wrapped("  does not load as it is: " + printable(loading->refusal) + "\n", page_width, 4);
  const AttentionConfig config = resolve(loading->weights->config);
  std::string text = "  loads with: scale " + significant(static_cast<double>(*config.scale), 6);
  for (const std::string& extra : describe_extras(*loading->weights)) text += "; " + extra;
  if (loading->checked) text += "; stored check passed";
  return wrapped(text + "\n", page_width, 4);
}

std::vector<Group> group_layers(const Inspection& inspection) {
  std::vector<Group> groups;
  const auto loading = [&](const AttentionLayer& layer) { return loading_text(loading_of(inspection, layer)); };
  for (const AttentionLayer& layer : inspection.layers) {
    const bool joins =
        !groups.empty() && same_parts(groups.back().front(), layer) && loading(groups.back().front()) == loading(layer);
    if (!joins) groups.emplace_back();
    groups.back().push_back(layer);
  }
  return groups;
}

// Where the family is open, those that it may be.
std::string family_text(const AttentionLayer& layer) {
  if (!layer.family.empty()) return "family " + layer.family;
  std::string families;
  for (const std::string& family : layer.candidates) families += (families.empty() ? "" : "|") + family;
  return "family open, --family " + families + " says it";
}

// What the shapes tell, or why the family is only known by name.
std::string sizes_text(const AttentionLayer& layer, const Inspection& inspection) {
  for (const FamilyRow& row : list_families()) {
    if (row.family != layer.family || row.refusal.empty()) continue;
    return "not supported\n" + wrapped("  " + row.refusal + "\n", page_width, 4);
  }
  return to_text(layer_sizes(layer), inspection.heads, inspection.heads_from.at(layer.index)) + "\n";
}

std::string group_text(const Group& group, const Inspection& inspection) {
  const AttentionLayer& first = group.front();
  const auto count = static_cast<std::int64_t>(group.size());
  std::string text = plural(count, "attention layer") + ", " + family_text(first) + ": ";
  text += sizes_text(first, inspection);
  text += loading_text(loading_of(inspection, first));
  Table names;
  names.row({"layer", "prefix"});
  for (const AttentionLayer& layer : group) names.row({std::to_string(layer.index), printable(layer.prefix)});
  Table parts;
  parts.row({"matrix", "tensor", "shape"});
  for (const auto& part : first.parts) {
    parts.row({part.role, "…" + printable(without_prefix(part.tensor, first.prefix)), shape_text(part.shape)});
  }
  return text + names.to_string() + "\n" + parts.to_string() + "\n";
}

std::vector<std::string> tensor_row(const Inspection& inspection, std::size_t i) {
  const TensorInfo& info = inspection.tensors[i];
  std::vector<std::string> cells{printable(info.name), info.dtype, shape_text(info.shape),
                                 std::to_string(info.end - info.begin)};
  if (inspection.scanned) {
    const auto& found = inspection.nonfinite[i];
    cells.push_back(found ? std::to_string(found->nan_count) : "-");
    cells.push_back(found ? std::to_string(found->infinite_count) : "-");
  }
  if (!info.file.empty()) cells.push_back(printable(info.file));
  return cells;
}

std::string tensors_text(const Inspection& inspection) {
  Table table;
  std::vector<std::string> heading{"tensor", "dtype", "shape", "bytes"};
  if (inspection.scanned) heading.insert(heading.end(), {"NaN", "Inf"});
  if (!inspection.tensors.empty() && !inspection.tensors.front().file.empty()) heading.push_back("shard");
  table.row(heading);
  for (std::size_t i = 0; i < inspection.tensors.size(); ++i) table.row(tensor_row(inspection, i));
  return table.to_string();
}

Json loading_json(const Loading* loading) {
  if (loading == nullptr) return nullptr;
  if (!loading->weights) return {{"config", nullptr}, {"refusal", json_text(loading->refusal)}};
  return {{"config", config_json(*loading->weights)},
          {"refusal", nullptr},
          {"stored_check_passed", loading->checked ? Json(true) : Json(nullptr)}};
}

Json layer_json(const AttentionLayer& layer, const Inspection& inspection) {
  const LayerSizes sizes = layer_sizes(layer);
  const std::optional<std::int64_t> heads = sizes.heads(inspection.heads);
  const std::int64_t head_dim = sizes.head_dim(heads);
  Json parts = Json::array();
  for (const auto& part : layer.parts) {
    parts.push_back({{"role", part.role}, {"tensor", json_text(part.tensor)}, {"shape", part.shape}});
  }
  return {{"index", layer.index},
          {"family", layer.family.empty() ? Json(nullptr) : Json(layer.family)},
          {"candidates", layer.candidates},
          {"prefix", json_text(layer.prefix)},
          {"model_dim", sizes.model_dim},
          {"output_dim", sizes.output_dim},
          {"query_width", sizes.query_width},
          {"value_width", sizes.value_width},
          {"num_heads", heads ? Json(*heads) : Json(nullptr)},
          {"num_kv_heads", head_dim > 0 && sizes.kv_heads(heads) > 0 ? Json(sizes.kv_heads(heads)) : Json(nullptr)},
          {"head_dim", head_dim > 0 ? Json(head_dim) : Json(nullptr)},
          {"loads", loading_json(loading_of(inspection, layer))},
          {"parts", parts}};
}

Json tensor_json(const Inspection& inspection, std::size_t i) {
  const TensorInfo& info = inspection.tensors[i];
  const auto& found = inspection.nonfinite[i];
  return {{"name", json_text(info.name)},
          {"dtype", info.dtype},
          {"shape", info.shape},
          {"bytes", info.end - info.begin},
          {"file", info.file.empty() ? Json(nullptr) : json_text(info.file)},
          {"nan_count", found ? Json(found->nan_count) : Json(nullptr)},
          {"infinite_count", found ? Json(found->infinite_count) : Json(nullptr)}};
}

}  // namespace

std::string inspection_text(const Inspection& inspection) {
  const Totals totals = totals_of(inspection);
  const auto count = static_cast<std::int64_t>(inspection.tensors.size());
  std::string text = printable(inspection.path) + ": " + inspection.format + ", " + plural(count, "tensor") + " (" +
                     std::to_string(totals.outside) + " outside the attention layers), " + byte_text(totals.bytes) +
                     ", " + health_text(inspection, totals) + "\n\n";
  if (inspection.layers.empty()) text += "No attention layer of a known family.\n\n";
  for (const Group& group : group_layers(inspection)) text += group_text(group, inspection);
  return text + tensors_text(inspection);
}

std::string inspection_json(const Inspection& inspection) {
  const Totals totals = totals_of(inspection);
  Json layers = Json::array(), tensors = Json::array();
  for (const AttentionLayer& layer : inspection.layers) layers.push_back(layer_json(layer, inspection));
  for (std::size_t i = 0; i < inspection.tensors.size(); ++i) tensors.push_back(tensor_json(inspection, i));
  return json_line({{"file", json_text(inspection.path)},
                    {"format", inspection.format},
                    {"bytes", totals.bytes},
                    {"num_heads", inspection.heads ? Json(*inspection.heads) : Json(nullptr)},
                    {"tensors_outside_layers", totals.outside},
                    {"scanned", inspection.scanned},
                    {"nan_count", inspection.scanned ? Json(totals.nan_count) : Json(nullptr)},
                    {"infinite_count", inspection.scanned ? Json(totals.infinite_count) : Json(nullptr)},
                    {"layers", layers},
                    {"tensors", tensors}});
}

}  // namespace headwise::tools
