// Rows of heads [B][heads][L][size]: read, projected, normalised, turned, kept in a cache.
#pragma once

#include <functional>
#include <vector>

#include "call.hpp"
#include "number.hpp"

namespace differential {

// Where the rows of one input stand: those of sequence b from its row `first` on, `count` of them.
struct RowSource {
  TensorView view;
  const std::vector<Sequence>* sequences;
  std::int64_t Sequence::*first;
  std::int64_t Sequence::*count;
  std::int64_t longest;
  bool ragged;
};
// The rows as they are; rows of padding are zeros. Inputs of a layer are one head as wide as the token.
Numbers read_rows(const RowSource& source);

// [B][1][L][in] to [B][heads][L][out / heads]: x·Wᵀ + b.
Numbers project(const Numbers& rows, const headwise::Tensor& weight, const headwise::Tensor& bias, std::int64_t heads,
                const Precision& precision);

// x · norm / √(mean(x²) + epsilon) of each row; nothing without a norm.
void normalise(Numbers& heads, const headwise::Tensor& norm, double epsilon, const Precision& precision);

// The position of row i of sequence b.
using Positions = std::function<std::int64_t(std::int64_t b, std::int64_t i)>;
constexpr std::int64_t no_position = INT64_MIN;  // a row of padding
void rotate(Numbers& heads, const headwise::RotaryConfig& config, const AttentionInputs& inputs,
            const Positions& positions, const Precision& precision);

// Keys and values of one token, [Hkv · size].
struct Token {
  std::vector<Number> key, value;
};

// What a KvCache must hold.
class Float64Cache {
 public:
  Float64Cache(const headwise::KvCacheOptions& options) : options_(options), rows_(std::size_t(options.batch)) {}
  void append(const Numbers& key, const Numbers& value, const std::vector<Sequence>& sequences);
  void truncate(std::int64_t row, std::int64_t length) { rows_[std::size_t(row)].resize(std::size_t(length)); }
  std::int64_t length(std::int64_t row) const { return std::ssize(rows_[std::size_t(row)]); }
  void copy_row(std::int64_t from, std::int64_t to) { rows_[std::size_t(to)] = rows_[std::size_t(from)]; }
  void clear() { rows_.assign(rows_.size(), {}); }
  // The tokens that the sequences see, into grids [B][Hkv][longest][size].
  void read(const std::vector<Sequence>& sequences, Numbers& key, Numbers& value) const;

 private:
  headwise::KvCacheOptions options_;
  std::vector<std::vector<Token>> rows_;  // by position, forgotten tokens too
};

}  // namespace differential
