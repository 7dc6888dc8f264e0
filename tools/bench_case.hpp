// One thing to measure: sizes, what is asked for, how it is run.
#pragma once

#include <cstdint>
#include <headwise/headwise.hpp>
#include <string>
#include <utility>
#include <vector>

#include "bench_shape.hpp"

namespace headwise::tools {

enum class BenchPart { layer, core };  // with or without the projections

enum class BenchAsk {
  plain,    // self-attention, or attention to `keys` others
  causal,   // a query sees no later key
  padded,   // the last half of each sequence's keys is padding
  weights,  // the attention weights of all heads are returned too
  decode,   // one new token for each sequence behind a cache of `length` tokens
  ragged,   // sequences of length/8 to length, one after the other
};

template <class Value>
using Names = std::vector<std::pair<std::string, Value>>;
const Names<BenchPart>& part_names();
const Names<BenchAsk>& ask_names();
const Names<DType>& bench_dtype_names();

template <class Value>
std::string name_of(const Names<Value>& names, Value value) {
  for (const auto& [name, named] : names) {
    if (named == value) return name;
  }
  return "";
}

struct BenchCase {
  BenchPart part = BenchPart::layer;
  BenchAsk ask = BenchAsk::plain;
  BenchShape shape;
  DType dtype = DType::f32;
  std::string isa;    // a name, never "auto"
  int threads = 1;    // never 0
  std::string layer;  // "model.safetensors, layer 0"; "" for random weights

  // What two records of the same case have in common, in words.
  std::string name() const;
  friend bool operator==(const BenchCase&, const BenchCase&) = default;
};

// A shape and what to measure of it.
struct BenchRequest {
  BenchShape shape;
  std::vector<BenchPart> parts;  // empty: what the options say
  std::vector<BenchAsk> asks;
  friend bool operator==(const BenchRequest&, const BenchRequest&) = default;
};

// Lines as perf/shapes/README.md describes them. Throws CommandError with name and number of a line that is none.
std::vector<BenchRequest> parse_shape_lines(const std::string& text, const std::string& name);
// The files of perf/shapes: name and text. The first is what is measured when nothing is said.
const std::vector<std::pair<std::string, std::string>>& shape_sets();

}  // namespace headwise::tools
