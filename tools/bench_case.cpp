#include "bench_case.hpp"

#include <sstream>

#include "console.hpp"
#include "text.hpp"

namespace headwise::tools {
namespace {

constexpr std::size_t most_shapes = 1000;

template <class Value>
bool take_word(const std::string& word, const Names<Value>& names, std::vector<Value>& values) {
  for (const auto& [name, value] : names) {
    if (name != word) continue;
    values.push_back(value);
    return true;
  }
  return false;
}

// "" when there is nothing but blanks and a comment.
std::string without_comment(const std::string& line) {
  const std::string text = line.substr(0, line.find('#'));
  return text.find_first_not_of(" \t\r") == std::string::npos ? "" : text;
}

BenchRequest parse_line(const std::string& line) {
  std::istringstream words(line);
  std::string word;
  words >> word;
  BenchRequest request;
  request.shape = parse_shape(word);
  while (words >> word) {
    if (take_word(word, part_names(), request.parts) || take_word(word, ask_names(), request.asks)) continue;
    throw ShapeError("'" + word + "' is none of layer, core, plain, causal, padded, weights, decode, ragged");
  }
  return request;
}

}  // namespace

const Names<BenchPart>& part_names() {
  static const Names<BenchPart> names{{"layer", BenchPart::layer}, {"core", BenchPart::core}};
  return names;
}

const Names<BenchAsk>& ask_names() {
  static const Names<BenchAsk> names{{"plain", BenchAsk::plain},   {"causal", BenchAsk::causal},
                                     {"padded", BenchAsk::padded}, {"weights", BenchAsk::weights},
                                     {"decode", BenchAsk::decode}, {"ragged", BenchAsk::ragged}};
  return names;
}

const Names<DType>& bench_dtype_names() {
  static const Names<DType> names{{"f32", DType::f32}, {"f16", DType::f16}, {"bf16", DType::bf16}};
  return names;
}

std::string BenchCase::name() const {
  const std::string of = layer.empty() ? "" : " of " + layer;
  return name_of(part_names(), part) + " " + name_of(ask_names(), ask) + " " + to_text(shape) + of + ", " +
         dtype_name(dtype) + ", " + isa + ", " + plural(threads, "thread");
}

std::vector<BenchRequest> parse_shape_lines(const std::string& text, const std::string& name) {
  std::vector<BenchRequest> requests;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) try {
      ++number;
      line = without_comment(line);
      if (!line.empty()) requests.push_back(parse_line(line));
      if (requests.size() > most_shapes) throw ShapeError("there are more than " + std::to_string(most_shapes));
    } catch (const ShapeError& error) {
      throw CommandError(name + ", line " + std::to_string(number) + ": " + error.what());
    }
  if (requests.empty()) throw CommandError(name + " holds no shape; write one a line, such as 8x128x768x12");
  return requests;
}

}  // namespace headwise::tools
