#include <algorithm>

#include "elements.hpp"
#include "float64_heads.hpp"

namespace differential {

using namespace headwise;

namespace {

// A number after storage. What lies within its error of a boundary may round to either side.
Number stored(const Number& x, DType dtype) {
  if (dtype == DType::f32) return x;
  const double value = rounded(x.value, dtype);
  const double low = rounded(x.value - x.error, dtype), high = rounded(x.value + x.error, dtype);
  return {value, std::max(high - value, value - low)};
}

std::vector<Number> stored_token(const Numbers& heads, std::int64_t b, std::int64_t i, DType dtype) {
  std::vector<Number> all;
  for (std::int64_t h = 0; h < heads.size(1); ++h)
    for (std::int64_t c = 0; c < heads.size(3); ++c) all.push_back(stored(heads.at(b, h, i, c), dtype));
  return all;
}

void put_token(const std::vector<Number>& token, Numbers& heads, std::int64_t b, std::int64_t j) {
  const std::int64_t size = heads.size(3);
  for (std::int64_t n = 0; n < std::ssize(token); ++n) heads.at(b, n / size, j, n % size) = token[std::size_t(n)];
}

}  // namespace

void Float64Cache::append(const Numbers& key, const Numbers& value, const std::vector<Sequence>& sequences) {
  for (std::int64_t b = 0; b < options_.batch; ++b)
    for (std::int64_t i = 0; i < sequences[std::size_t(b)].new_keys; ++i) {
      const DType dtype = options_.dtype;
      rows_[std::size_t(b)].push_back({stored_token(key, b, i, dtype), stored_token(value, b, i, dtype)});
    }
}

void Float64Cache::read(const std::vector<Sequence>& sequences, Numbers& key, Numbers& value) const {
  for (std::int64_t b = 0; b < options_.batch; ++b) {
    const Sequence& s = sequences[std::size_t(b)];
    for (std::int64_t j = 0; j < s.keys; ++j) {
      const Token& token = rows_[std::size_t(b)][std::size_t(s.first_position + j)];
      put_token(token.key, key, b, j);
      put_token(token.value, value, b, j);
    }
  }
}

}  // namespace differential
