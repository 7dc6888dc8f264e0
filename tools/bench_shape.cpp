#include "bench_shape.hpp"

#include <algorithm>
#include <vector>

#include "text.hpp"

namespace headwise::tools {
namespace {

struct Part {
  const char* name;
  std::int64_t BenchShape::*size;
};
constexpr Part parts[] = {{"kv", &BenchShape::kv_heads}, {"d", &BenchShape::head_dim}, {"keys", &BenchShape::keys}};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

std::int64_t parse_size(const std::string& text) {
  const auto size = parse_whole_number(text);
  if (size && *size >= 1 && *size <= largest_size) return *size;
  throw ShapeError("'" + text + "' is no whole number from 1 to " + std::to_string(largest_size));
}

BenchShape parse_sizes(const std::string& text) {
  std::vector<std::int64_t> sizes;
  for (const std::string& word : split(text, 'x')) sizes.push_back(parse_size(word));
  if (sizes.size() == 2) return {sizes[0], sizes[1]};
  if (sizes.size() == 4) return {sizes[0], sizes[1], sizes[2], sizes[3]};
  throw ShapeError("it has " + plural(static_cast<std::int64_t>(sizes.size()), "size"));
}

void parse_part(const std::string& text, BenchShape& shape) {
  const std::size_t equals = std::min(text.find('='), text.size());
  const std::string name = text.substr(0, equals);
  for (const Part& part : parts) {
    if (part.name != name || equals == text.size()) continue;
    if (shape.*part.size != 0) throw ShapeError("'" + name + "' is given twice");
    shape.*part.size = parse_size(text.substr(equals + 1));
    return;
  }
  throw ShapeError("there is no part '" + text + "', only kv=N, d=N and keys=N");
}

void check(const BenchShape& shape) {
  const bool parts_of_file = shape.of_file() && (shape.kv_heads != 0 || shape.head_dim != 0);
  if (parts_of_file) throw ShapeError("kv and d come from the weight file where width and heads do");
  if (shape.of_file()) return;
  if (shape.head_dim == 0 && shape.width % shape.heads != 0) {
    throw ShapeError(std::to_string(shape.heads) + " heads do not divide width " + std::to_string(shape.width));
  }
  if (shape.kv_heads != 0 && shape.heads % shape.kv_heads != 0) {
    throw ShapeError(std::to_string(shape.kv_heads) + " key/value heads do not divide " + plural(shape.heads, "head"));
  }
}

BenchShape parse_words(const std::string& text) {
  const auto words = split(text, ':');
  BenchShape shape = parse_sizes(words[0]);
  std::for_each(words.begin() + 1, words.end(), [&](const std::string& word) { parse_part(word, shape); });
  check(shape);
  return shape;
}

}  // namespace

BenchShape parse_shape(const std::string& text) try { return parse_words(text); } catch (const ShapeError& error) {
  throw ShapeError("'" + text + "' is no shape such as 8x128x768x12 (batch, length, width, heads): " + error.what());
}

std::string to_text(const BenchShape& shape) {
  std::string text = std::to_string(shape.batch) + "x" + std::to_string(shape.length);
  if (!shape.of_file()) text += "x" + std::to_string(shape.width) + "x" + std::to_string(shape.heads);
  for (const Part& part : parts) {
    if (shape.*part.size != 0) text += std::string(":") + part.name + "=" + std::to_string(shape.*part.size);
  }
  return text;
}

}  // namespace headwise::tools
