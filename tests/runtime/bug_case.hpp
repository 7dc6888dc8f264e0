// Cases in the format mha-bugcase/1: JSON with inputs, parameters and the results that float64 gives.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "calls.hpp"

using Json = nlohmann::json;

inline Json read_case(const std::string& id) {
  std::ifstream stream(std::string(HEADWISE_TEST_DATA) + "/cases/" + id + ".json");
  REQUIRE(stream.good());
  Json json = Json::parse(stream);
  REQUIRE(json["format"] == "mha-bugcase/1");
  return json;
}

// Numbers that JSON has no form for are strings.
inline double case_number(const Json& json) {
  if (!json.is_string()) return json.get<double>();
  const std::string text = json;
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  return text[0] == '-' ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
}

inline void append_numbers(const Json& json, std::vector<double>& numbers) {
  if (!json.is_array()) return numbers.push_back(json.is_boolean() ? double(json.get<bool>()) : case_number(json));
  for (const Json& part : json) append_numbers(part, numbers);
}

inline const Json& first_leaf(const Json& json) {
  return json.is_array() && !json.empty() ? first_leaf(json[0]) : json;
}

// A nested list as a tensor, bool or f32 by what it holds.
inline headwise::Tensor case_tensor(const Json& json) {
  std::vector<std::int64_t> sizes;
  for (const Json* part = &json; part->is_array(); part = &(*part)[0]) {
    sizes.push_back(static_cast<std::int64_t>(part->size()));
    if (part->empty()) break;
  }
  std::vector<double> numbers;
  append_numbers(json, numbers);
  const bool boolean = first_leaf(json).is_boolean();
  headwise::Tensor result(boolean ? headwise::DType::boolean : headwise::DType::f32,
                          headwise::Dims(sizes.data(), sizes.size()));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    boolean ? void(result.data<bool>()[i] = numbers[i] != 0) : void(result.data()[i] = float(numbers[i]));
  }
  return result;
}

// The tensors and the call of a case; it must stay where it is, since the views point into it.
struct CaseCall {
  Json json;
  headwise::Tensor query, key, value, mask, padding;
  headwise::AttentionInputs inputs;

  explicit CaseCall(const std::string& id) : json(read_case(id)) {}
  CaseCall(const CaseCall&) = delete;
  CaseCall& operator=(const CaseCall&) = delete;

  bool has(const char* name) const { return json["inputs"].contains(name); }
  headwise::Tensor tensor(const char* name) const { return case_tensor(json["inputs"][name]); }
  void take_masks() {
    const bool additive = has("bias");
    if (additive || has("keep")) mask = tensor(additive ? "bias" : "keep");
    inputs.attention_mask = mask.view();
    inputs.attention_mask_meaning = headwise::BooleanMask::keep;
    const bool drop = has("key_padding_mask_true_is_pad");
    if (drop || has("key_keep")) padding = tensor(drop ? "key_padding_mask_true_is_pad" : "key_keep");
    inputs.key_padding_mask = padding.view();
    inputs.key_padding_meaning = drop ? headwise::BooleanMask::drop : headwise::BooleanMask::keep;
    inputs.causal = json["params"].value("causal", false);
  }
  void take_heads() {
    query = tensor("q");
    key = tensor("k");
    value = tensor("v");
    inputs.query = query.view();
    inputs.key = key.view();
    inputs.value = value.view();
  }
  // One input is query, key and value.
  void take_self() {
    query = tensor("x");
    inputs.query = inputs.key = inputs.value = query.view();
  }
  std::optional<float> scale() const {
    return json["params"].contains("scale") ? std::optional<float>(json["params"]["scale"].get<float>()) : std::nullopt;
  }
};

// A block of rows of a matrix or a vector, as a tensor of its own.
inline headwise::Tensor rows_of(const headwise::Tensor& tensor, std::int64_t first, std::int64_t count) {
  return copy_of(slice(tensor.view(), 0, first, count));
}

// in_proj rows are Q|K|V.
inline headwise::AttentionWeights case_weights(const CaseCall& call) {
  const headwise::Tensor weight = call.tensor("in_proj_weight"), bias = call.tensor("in_proj_bias");
  const std::int64_t width = weight.shape()[1];
  headwise::AttentionWeights w;
  w.config.model_dim = width;
  w.config.num_heads = call.json["params"]["num_heads"];
  w.query_weight = rows_of(weight, 0, width);
  w.key_weight = rows_of(weight, width, width);
  w.value_weight = rows_of(weight, 2 * width, width);
  w.query_bias = rows_of(bias, 0, width);
  w.key_bias = rows_of(bias, width, width);
  w.value_bias = rows_of(bias, 2 * width, width);
  w.output_weight = call.tensor("out_proj_weight");
  w.output_bias = call.tensor("out_proj_bias");
  return w;
}

// NaN where NaN is expected, otherwise within the tolerance of the case.
inline void check_near(const headwise::Tensor& actual, const std::vector<double>& expected, double absolute = 1e-5,
                       double relative = 1e-5) {
  REQUIRE(actual.size() == static_cast<std::int64_t>(expected.size()));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    const auto got = double(actual.data()[i]);
    if (std::isnan(expected[i])) CHECK(std::isnan(got));
    if (!std::isnan(expected[i])) CHECK(std::fabs(got - expected[i]) <= absolute + relative * std::fabs(expected[i]));
  }
}

inline void check_expected(const Json& json, const char* name, const headwise::Tensor& actual) {
  CAPTURE(name);
  std::vector<double> expected;
  append_numbers(json["expected"][name], expected);
  check_near(actual, expected);
}
