#include "view_export.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "console.hpp"
#include "json_output.hpp"
#include "summary.hpp"
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
    text += shortest(row[i]);
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

void add_layer(std::string& text, const HeadWeights& weights, std::size_t layer) {
  text += "[[";
  for (std::size_t head = 0; head < static_cast<std::size_t>(weights.heads); ++head) {
    text += head > 0 ? "," : "";
    add_head(text, weights.weights(layer, head), weights.count());
  }
  text += "]]";
}

// [1][heads][0]: BertViz counts the heads of the first layer even where it leaves that out.
std::string absent_layer(std::int64_t heads) {
  std::string text = "[[[]";
  for (std::int64_t head = 1; head < heads; ++head) text += ",[]";
  return text + "]]";
}

// A layer's place in the list is its number, so that BertViz shows that.
std::string attention_json(const HeadWeights& weights) {
  const std::string absent = absent_layer(weights.heads);
  std::string text = "[";
  std::int64_t number = 0;
  for (std::size_t layer = 0; layer < weights.layers.size(); ++layer, ++number) {
    for (; number < weights.layers[layer]; ++number) text += (number > 0 ? "," : "") + absent;
    text += number > 0 ? "," : "";
    add_layer(text, weights, layer);
  }
  return text + "]";
}

bool leaves_out_layers(const HeadWeights& weights) {
  return weights.layers.back() >= static_cast<std::int64_t>(weights.layers.size());
}

}  // namespace

void export_npz(const std::string& path, const HeadWeights& weights) {
  const Tensor layers = numbers(weights.layers), segments = numbers(weights.segments);
  std::vector<NamedView> arrays{{"attention", weights.attention}, {"layers", layers}, {"segments", segments}};
  if (weights.contribution.given()) arrays.push_back({"contribution", weights.contribution});
  save_npz(path, arrays);
}

void check_bertviz(const HeadWeights& weights) {
  const NonFinite found = count_nonfinite(weights.attention);
  if (!found.any()) return;
  throw CommandError(
      "the weights hold " + to_text(found) +
      ", which BertViz draws as it draws 1; leave out --bertviz (the page marks them, and --export keeps "
      "them)");
}

std::string bertviz_json(const HeadWeights& weights) {
  Json others{{"tokens", Json::array()}};
  for (const std::string& token : weights.tokens) others["tokens"].push_back(json_text(token));
  const auto second = std::find(weights.segments.begin(), weights.segments.end(), 2);
  if (second != weights.segments.end()) others["sentence_b_start"] = second - weights.segments.begin();
  if (leaves_out_layers(weights)) others["include_layers"] = weights.layers;
  // ASCII, which Python reads in every locale.
  return "{\"attention\":" + attention_json(weights) + "," + others.dump(-1, ' ', true).substr(1) + "\n";
}

}  // namespace headwise::tools
