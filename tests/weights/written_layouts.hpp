// Every layout of weight files, written element by element from the page that describes them and not from the engine's
// table.
#pragma once

#include <string>
#include <vector>

#include "headwise/weights.hpp"
#include "safetensors_writer.hpp"

namespace written {

using headwise::AttentionConfig;
using headwise::AttentionWeights;
using headwise::LoadOptions;
using headwise::Tensor;

// A row of a canonical matrix, or an element of a bias.
struct Row {
  const Tensor* tensor;
  std::int64_t index;
};

struct Matrices {
  const Tensor &query, &key, &value, &output;
};

using Order = std::vector<Row> (*)(const Matrices&, const AttentionConfig&);

std::vector<Row> query_key_value(const Matrices& m, const AttentionConfig&);
std::vector<Row> key_value(const Matrices& m, const AttentionConfig&);
// The queries of a key/value head, the key, the value; then those of the next.
std::vector<Row> groups(const Matrices& m, const AttentionConfig& c);

// How one family stores a layer. The names of matrices, those of their biases, and where they differ from Linear.
struct Stored {
  std::string family;
  std::vector<std::string> weights, biases;  // of query, key, value, output; [query] [key and] value; output
  Order fused = nullptr;                     // of all three when there are two names, of the last two with three
  bool in_out = false, heads_apart = false, grouped = false;
  bool input_biases_optional = false;
  std::string config{};  // entries of config.json without which the layout is open
};

Stored linear(const std::string& family, const std::vector<std::string>& names);
Stored fused(const std::string& family, const std::vector<std::string>& names, Order order);
Stored stacked(const std::vector<std::string>& names);
Stored conv1d(const std::vector<std::string>& names, Order order);
Stored dense(const std::string& family, const std::vector<std::string>& names, const std::string& separator,
             bool heads_apart);
std::vector<Stored> all_layouts();

// A layer of four heads, its tensors in a file, and what is loaded from them.
AttentionWeights layer_of(std::int64_t width, std::int64_t head_dim, std::int64_t kv_heads);
std::vector<NamedTensor> file_of(const Stored& stored, const AttentionWeights& w);
AttentionWeights loaded(const Stored& stored, const std::vector<NamedTensor>& tensors, const LoadOptions& options);

}  // namespace written
