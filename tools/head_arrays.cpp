#include "head_arrays.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "console.hpp"
#include "json_output.hpp"
#include "standard_streams.hpp"
#include "text.hpp"
#include "text_files.hpp"

namespace headwise::tools {
namespace {

// A page has 10,000 tokens at most. A list of JSON costs up to 80 bytes of memory a byte, lines 160.
constexpr std::size_t longest_tokens = 1u << 20;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const bool carriage = end > begin && text[end - 1] == '\r';
    lines.push_back(text.substr(begin, end - begin - (carriage ? 1 : 0)));
    begin = end + 1;
  }
  return lines;
}

bool is_word_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
         letter == '_';
}

// "[CLS]" or "[unused1]", as the first line of a file of lines may be.
bool is_bracketed_name(const std::string& line) {
  return line.size() > 2 && line.front() == '[' && line.back() == ']' &&
         std::all_of(line.begin() + 1, line.end() - 1, is_word_letter);
}

bool is_list_of_strings(const Json& value) {
  return value.is_array() && std::all_of(value.begin(), value.end(), [](const Json& item) { return item.is_string(); });
}

std::vector<std::string> tokens_in(const std::string& path, const std::string& text) {
  const std::vector<std::string> lines = lines_of(text);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos || text[first] != '[') return lines;
  const Json value = Json::parse(text, nullptr, false);
  if (is_list_of_strings(value)) return value.get<std::vector<std::string>>();
  if (value.is_discarded() && is_bracketed_name(lines.front())) return lines;
  throw CommandError(
      printable(input_name(path)) +
      (value.is_discarded() ? " begins with [ and is no valid JSON" : " is a JSON list of other things") +
      "; write a JSON list of strings, or one token a line");
}

std::vector<std::string> positions(std::int64_t count) {
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < count; ++i) names.push_back(std::to_string(i));
  return names;
}

// The view of one index of the first axis.
TensorView at(const TensorView& tensor, std::int64_t index) {
  const char* data = static_cast<const char*>(tensor.data) +
                     index * tensor.strides[0] * static_cast<std::int64_t>(dtype_size(tensor.dtype));
  const auto rank = static_cast<std::size_t>(tensor.shape.rank() - 1);
  return {data, tensor.dtype, Dims(tensor.shape.begin() + 1, rank), Dims(tensor.strides.begin() + 1, rank)};
}

// With layers as the first axis, as HeadWeights has it.
TensorView with_layers(const TensorView& tensor, const ArrayChoice& choice) {
  if (choice.by_layer) return tensor;
  const TensorView one = tensor.shape.rank() == 4 ? at(tensor, choice.sequence) : tensor;
  const Dims &shape = one.shape, &strides = one.strides;
  return {one.data, one.dtype, {1, shape[0], shape[1], shape[2]}, {0, strides[0], strides[1], strides[2]}};
}

[[noreturn]] void refuse(const ArrayChoice& choice, const std::string& problem) {
  throw UsageError(printable(choice.name) + " " + problem);
}

void check_shape(const TensorView& attention, const ArrayChoice& choice) {
  const Dims& shape = attention.shape;
  const int rank = shape.rank();
  const auto wanted = "; wanted weights [batch, heads, queries, keys] or [heads, queries, keys]";
  if (rank != 3 && rank != 4) refuse(choice, "has the shape " + to_string(shape) + wanted);
  if (element_count(shape) == 0) refuse(choice, "holds nothing, its shape is " + to_string(shape) + wanted);
  if (shape[rank - 1] != shape[rank - 2]) {
    refuse(choice, "has " + std::to_string(shape[rank - 2]) + " queries and " + std::to_string(shape[rank - 1]) +
                       " keys; the view is of self-attention, with as many of each");
  }
  if (rank == 3 && choice.by_layer) refuse(choice, "has three axes " + to_string(shape) + ", so none is of layers");
  if (rank == 4 && !choice.by_layer && choice.sequence >= shape[0]) {
    throw UsageError(printable(choice.name) + " has " + plural(shape[0], "sequence") +
                     ", counted from 0, so there is no --sequence " + std::to_string(choice.sequence));
  }
}

// Shares of 1; an average over keys in f16 may be a little more.
void check_values(const Tensor& attention, const ArrayChoice& choice) {
  const float* data = attention.data();
  for (std::int64_t i = 0; i < attention.size(); ++i) {
    if (data[i] >= 0 && data[i] <= 1.01F) continue;
    if (std::isnan(data[i])) continue;
    refuse(choice, "holds " + shortest(data[i]) + ", which is no attention weight (0 to 1)");
  }
}

// The rows and keys of the tokens.
Tensor cut(const TensorView& attention, std::int64_t count) {
  TensorView part = attention;
  part.shape[2] = part.shape[3] = count;
  return convert(part, DType::f32);
}

Tensor norms(const TensorView& contribution, std::int64_t count) {
  Dims shape{contribution.shape[0], contribution.shape[1], count};
  TensorView part = contribution;
  part.shape[2] = count;
  const Tensor values = convert(part, DType::f32);
  Tensor result(shape);
  const std::int64_t width = contribution.shape[3];
  for (std::int64_t row = 0; row < result.size(); ++row) {
    const float* first = values.data() + row * width;
    const double square = std::inner_product(first, first + width, first, 0.0);
    result.data()[row] = static_cast<float>(std::sqrt(square));
  }
  return result;
}

void add_notes(HeadWeights& weights, const Dims& shape, const ArrayChoice& choice, bool padded) {
  if (shape.rank() == 4 && !choice.by_layer && shape[0] > 1) {
    weights.notes.push_back("sequence " + std::to_string(choice.sequence) + " of " + std::to_string(shape[0]) +
                            ", counted from 0");
  }
  if (!padded) return;
  weights.notes.push_back("the array has " + std::to_string(shape[shape.rank() - 1]) +
                          " queries and keys; those past the " +
                          plural(static_cast<std::int64_t>(weights.count()), "token") + " count as padding");
}

HeadWeights with_tokens(const Dims& shape, const ArrayChoice& choice) {
  const std::int64_t length = shape[shape.rank() - 1];
  HeadWeights weights;
  weights.title = choice.title;
  weights.tokens = choice.tokens.empty() ? positions(length) : choice.tokens;
  weights.words = words_of_tokens(weights.tokens);
  weights.segments = segments_of_tokens(weights.tokens);
  const auto count = static_cast<std::int64_t>(weights.count());
  if (count > length) {
    refuse(choice, "has " + std::to_string(length) + " queries, fewer than the " + plural(count, "token") + " given");
  }
  add_notes(weights, shape, choice, count < length);
  return weights;
}

}  // namespace

std::vector<std::string> read_tokens(const std::string& path) {
  const std::string text = read_text_file(path, longest_tokens);
  std::vector<std::string> tokens = tokens_in(path, text);
  for (std::string& token : tokens) token = valid_utf8(token);
  if (tokens.empty()) throw CommandError(path + " holds no tokens; write one a line, or a JSON list of strings");
  return tokens;
}

HeadWeights head_arrays(const TensorView& attention, const TensorView& contribution, const ArrayChoice& choice) {
  check_shape(attention, choice);
  HeadWeights weights = with_tokens(attention.shape, choice);
  const auto count = static_cast<std::int64_t>(weights.count());
  const TensorView layers = with_layers(attention, choice);
  weights.attention = cut(layers, count);
  check_values(weights.attention, choice);
  if (contribution.given) weights.contribution = norms(with_layers(contribution, choice), count);
  weights.heads = layers.shape[1];
  for (std::int64_t i = 0; i < layers.shape[0]; ++i) weights.layers.push_back(choice.by_layer ? i : choice.layer);
  return weights;
}

}  // namespace headwise::tools
