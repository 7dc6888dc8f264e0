#include "verify_report.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "input_words.hpp"
#include "layer_words.hpp"
#include "text.hpp"

namespace headwise::tools {
namespace {

constexpr double least_limit = 8;

struct Sums {
  double absolute = 0, units = 0;
};

void add_element(double actual, double expected, double unit, Deviation& total, Sums& squares) {
  if (actual == expected || (std::isnan(actual) && std::isnan(expected))) return;
  if (!std::isfinite(actual) || !std::isfinite(expected)) return void(++total.mismatches);
  const double distance = std::fabs(actual - expected);
  const double units = distance / unit;  // infinite where nothing was added up and yet something came out
  total.max_absolute = std::max(total.max_absolute, distance);
  total.max_units = std::max(total.max_units, units);
  squares.absolute += distance * distance;
  squares.units += units * units;
}

std::string deviation_text(const Deviation& found) {
  std::string text = "max " + significant(found.max_units, 3) + " units, RMS " + significant(found.rms_units, 3) +
                     "; absolute max " + significant(found.max_absolute, 3) + ", RMS " +
                     significant(found.rms_absolute, 3);
  if (found.mismatches > 0) text += "; " + plural(found.mismatches, "value") + " finite on one side only";
  return text;
}

Json deviation_json(const Deviation& found) {
  return {{"max_units", json_number(found.max_units)},
          {"rms_units", json_number(found.rms_units)},
          {"max_absolute", json_number(found.max_absolute)},
          {"rms_absolute", json_number(found.rms_absolute)},
          {"mismatches", found.mismatches}};
}

std::string shape_text(const VerifyResult& result, const VerifyOptions& options) {
  const CallShape& call = result.call;
  const std::string lengths = plural(call.batch, "sequence") + ", " + std::to_string(call.query_length) + " queries, " +
                              std::to_string(call.key_length) + " keys";
  if (!result.random_inputs) return lengths;
  return lengths + ", random with --seed " + std::to_string(options.seed) + " (no --query was given)";
}

struct Compared {
  const char* name;
  const Deviation* found;
  double limit;
};

std::vector<Compared> comparisons(const VerifyResult& result) {
  std::vector<Compared> all{{"core", &result.core, result.core_limit},
                            {"weights", &result.attention, result.core_limit},
                            {"output", &result.layer, result.layer_limit}};
  if (result.cache) all.push_back({"cache", &*result.cache, result.layer_limit});
  return all;
}

std::string verdict(const VerifyResult& result) {
  const std::string failure = failure_text(result);
  if (!failure.empty()) return "FAILED: " + failure;
  return "passed; limits " + significant(result.core_limit, 3) + " units for core and weights, " +
         significant(result.layer_limit, 3) + " for the output";
}

}  // namespace

Deviation deviation(const Tensor& actual, const std::vector<double>& expected, const std::vector<double>& mass,
                    double epsilon) {
  Deviation total;
  Sums squares;
  for (std::size_t i = 0; i < mass.size(); ++i) {
    add_element(static_cast<double>(actual.data()[i]), expected[i], epsilon * mass[i], total, squares);
  }
  const double count = static_cast<double>(std::max<std::size_t>(mass.size(), 1));
  total.rms_absolute = std::sqrt(squares.absolute / count);
  total.rms_units = std::sqrt(squares.units / count);
  return total;
}

double epsilon_of(DType dtype) {
  return dtype == DType::f16 ? 0x1p-10 : dtype == DType::bf16 ? 0x1p-7 : 0x1p-23;
}

// Adding up a score of products that come to S rounds by about eps·S, which moves its weight by that share, and the sum
// of the weights as well. Seen over 54 runs on a real model: at most 1.2·S.
double limit_of(double score_mass) {
  return std::max(least_limit, 2 * score_mass);
}

bool VerifyResult::passed() const {
  return failure_text(*this).empty();
}

std::string failure_text(const VerifyResult& result) {
  for (const auto& [name, found, limit] : comparisons(result)) {
    if (found->mismatches > 0) return std::string(name) + ": values are finite on one side only";
    if (!(found->max_units <= limit)) {
      return std::string(name) + " is off by " + significant(found->max_units, 3) + " units, the limit is " +
             significant(limit, 3);
    }
  }
  return "";
}

std::string verify_text(const VerifyResult& result, const VerifyOptions& options) {
  Table table("");
  table.row({"layer", describe_layer(result.loaded, options)});
  add_layer(table, result.loaded.weights);
  table.row({"inputs", shape_text(result, options)});
  if (!result.random_inputs) add_inputs(table, result.inputs, options);
  table.row({"compared", result.isa + " kernels with the definition in double"});
  for (const Compared& part : comparisons(result)) table.row({part.name, deviation_text(*part.found)});
  table.row({"verdict", verdict(result)});
  return table.to_string();
}

std::string verify_json(const VerifyResult& result, const VerifyOptions& options) {
  Json object = layer_json(result.loaded, options);
  object.update({{"batch", result.call.batch},
                 {"query_length", result.call.query_length},
                 {"key_length", result.call.key_length},
                 {"seed", result.random_inputs ? Json(options.seed) : Json(nullptr)},
                 {"inputs", inputs_json(result.inputs, options)},
                 {"isa", result.isa},
                 {"core", deviation_json(result.core)},
                 {"attention", deviation_json(result.attention)},
                 {"output", deviation_json(result.layer)},
                 {"cache", result.cache ? deviation_json(*result.cache) : Json(nullptr)},
                 {"core_limit_units", json_number(result.core_limit)},
                 {"layer_limit_units", json_number(result.layer_limit)},
                 {"passed", result.passed()}});
  return json_line(object);
}

}  // namespace headwise::tools
