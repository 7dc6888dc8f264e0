#include "inspect_totals.hpp"

#include <set>

#include "text.hpp"

namespace headwise::tools {
namespace {

std::set<std::string> names_in_layers(const std::vector<AttentionLayer>& layers) {
  std::set<std::string> names;
  for (const AttentionLayer& layer : layers) {
    for (const auto& part : layer.parts) names.insert(part.tensor);
  }
  return names;
}

}  // namespace

Totals totals_of(const Inspection& inspection) {
  Totals totals;
  const std::set<std::string> known = names_in_layers(inspection.layers);
  for (const TensorInfo& info : inspection.tensors) {
    totals.bytes += info.end - info.begin;
    totals.outside += known.count(info.name) == 0;
  }
  for (const auto& found : inspection.nonfinite) {
    if (!found) continue;
    totals.nan_count += found->nan_count;
    totals.infinite_count += found->infinite_count;
    totals.tensors_hit += found->nan_count + found->infinite_count > 0;
  }
  return totals;
}

std::string health_text(const Inspection& inspection, const Totals& totals) {
  if (!inspection.scanned) return "values not read";
  if (totals.tensors_hit == 0) return "no NaN, no infinity";
  return std::to_string(totals.nan_count) + " NaN and " + std::to_string(totals.infinite_count) +
         " infinite values in " + plural(totals.tensors_hit, "tensor");
}

}  // namespace headwise::tools
