#include "view_export.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "json_output.hpp"
#include "text.hpp"

namespace headwise::tools {
namespace {

template <class Values>
Tensor numbers(const Values& values) {
  Tensor tensor(DType::i64, {static_cast<std::int64_t>(values.size())});
  std::copy(values.begin(), values.end(), tensor.data<std::int64_t>());
  return tensor;
}

// Digits that read back as the same float; half of what a double would take.
void add_row(std::string& text, const float* row, std::size_t count) {
  text += '[';
  for (std::size_t i = 0; i < count; ++i) {
    text += i > 0 ? "," : "";
    text += std::isfinite(row[i]) ? shortest(row[i]) : "null";
  }
  text += ']';
}

void add_head(std::string& text, const float* weights, std::size_t count) {
  text += '[';
  for (std::size_t query = 0; query < count; ++query) {
    text += query > 0 ? "," : "";
    add_row(text, weights + query * count, count);
  }
  text += ']';
}

std::string attention_json(const HeadWeights& weights) {
  std::string text = "[";
  for (std::size_t layer = 0; layer < weights.layers.size(); ++layer) {
    text += layer > 0 ? ",[[" : "[[";
    for (std::size_t head = 0; head < static_cast<std::size_t>(weights.heads); ++head) {
      text += head > 0 ? "," : "";
      add_head(text, weights.weights(layer, head), weights.count());
    }
    text += "]]";
  }
  return text + "]";
}

}  // namespace

void export_npz(const std::string& path, const HeadWeights& weights) {
  const Tensor layers = numbers(weights.layers), segments = numbers(weights.segments);
  std::vector<NamedView> arrays{{"attention", weights.attention}, {"layers", layers}, {"segments", segments}};
  if (weights.contribution.given()) arrays.push_back({"contribution", weights.contribution});
  save_npz(path, arrays);
}

std::string bertviz_json(const HeadWeights& weights) {
  Json others{{"tokens", Json::array()}};
  for (const std::string& token : weights.tokens) others["tokens"].push_back(json_text(token));
  const auto second = std::find(weights.segments.begin(), weights.segments.end(), 2);
  if (second != weights.segments.end()) others["sentence_b_start"] = second - weights.segments.begin();
  return "{\"attention\":" + attention_json(weights) + "," + others.dump().substr(1) + "\n";
}

}  // namespace headwise::tools
