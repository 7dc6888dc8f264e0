#include "layer_completeness.hpp"

#include <algorithm>

#include "companions.hpp"
#include "logging.hpp"
#include "stated_sizes.hpp"
#include "text.hpp"

namespace headwise {
namespace {

[[noreturn]] void refuse(const WeightFile& file, const std::string& problem, ErrorCode code = ErrorCode::bad_file) {
  throw Error(code, in_quotes(file.path()) + ": " + problem);
}

bool is_part(const AttentionLayer& layer, const std::string& tensor) {
  return std::any_of(layer.parts.begin(), layer.parts.end(),
                     [&](const AttentionLayer::Part& part) { return part.tensor == tensor; });
}

void refuse_companions(const WeightFile& file, const AttentionLayer& layer, bool rotary_known) {
  for (const std::string_view name : refused_companions()) {
    const std::string companion = layer.prefix + std::string(name);
    if (file.find(companion) == nullptr || is_part(layer, companion)) continue;
    if (name != rotary_companion) {
      refuse(file, "tensor " + in_quotes(companion) + " changes the attention in a way that is not supported",
             ErrorCode::unsupported);
    }
    if (rotary_known) continue;
    refuse(file,
           "tensor " + in_quotes(companion) + " belongs to rotary positions; config.json does not describe them, " +
               "LoadOptions::rotary must",
           ErrorCode::unsupported);
  }
}

std::string full_name(const AttentionLayer& layer, const PartName& part) {
  return in_quotes(layer.prefix + part.name);
}

// Names of biases that are not there though others are, and though the model is not known to do without.
std::vector<std::string> missing_biases(const LaidOutLayer& layer, std::string_view without_bias) {
  std::vector<std::string> missing;
  const auto& biases = layer.layout().biases;
  const auto there = [&](const PartName& bias) { return find_part(layer, bias.role) != nullptr; };
  const auto inputs_end =
      std::find_if(biases.begin(), biases.end(), [](const PartName& bias) { return bias.role == "output_bias"; });
  const bool no_input_bias = std::none_of(biases.begin(), inputs_end, there);
  if (no_input_bias && (layer.layout().input_biases_optional || std::none_of(inputs_end, biases.end(), there)))
    return {};
  for (const PartName& bias : biases) {
    const bool has_none = without_bias.find(bias.role) != std::string_view::npos;
    if (!there(bias) && !has_none) missing.push_back(full_name(layer, bias));
  }
  return missing;
}

void check_biases(const WeightFile& file, const LaidOutLayer& layer, const Completeness& rules) {
  const std::vector<std::string> missing = missing_biases(layer, rules.without_bias);
  if (missing.empty()) return;
  const std::string problem = "the layer has only some of its biases, missing: " + join(missing);
  if (!rules.allow_missing_bias) refuse(file, problem + " (allow_missing_bias takes them as zero)");
  log(LogLevel::warning, [&] { return in_quotes(file.path()) + ": " + problem + ", taken as zero"; });
}

void check_pair(const WeightFile& file, const LaidOutLayer& layer, std::string_view first, std::string_view second) {
  if ((find_part(layer, first) == nullptr) == (find_part(layer, second) == nullptr)) return;
  for (const PartName& extra : layer.layout().extras) {
    const bool wanted = extra.role == first || extra.role == second;
    if (!wanted || find_part(layer, extra.role) != nullptr) continue;
    refuse(file, "the layer has only one of two tensors that belong together, missing: " + full_name(layer, extra));
  }
}

void check_relative_bias(const WeightFile& file, const LaidOutLayer& layer) {
  if (find_part(layer, "relative_bias") != nullptr) return;
  const auto& extras = layer.layout().extras;
  const auto table =
      std::find_if(extras.begin(), extras.end(), [](const PartName& extra) { return extra.role == "relative_bias"; });
  if (table == extras.end()) {
    refuse(file,
           "position_bias is t5, but layer " + in_quotes(layer.prefix) + " of family " + layer.family +
               " has no table of relative bias",
           ErrorCode::invalid_argument);
  }
  refuse(file, "the layer lacks the table of its relative bias, " + full_name(layer, *table) +
                   " or that of block 0 (position_bias of kind none loads it without)");
}

}  // namespace

void check_completeness(const WeightFile& file, const LaidOutLayer& layer, const Completeness& rules) {
  const bool looked_up = !layer.layout().says_all;
  if (looked_up) refuse_companions(file, layer, rules.rotary_known);
  if (looked_up) check_biases(file, layer, rules);
  check_pair(file, layer, "bias_key", "bias_value");
  check_pair(file, layer, "query_norm", "key_norm");
  if (rules.needs_relative_bias) check_relative_bias(file, layer);
}

}  // namespace headwise
