#include <algorithm>

#include "bench_call.hpp"

namespace headwise::tools {
namespace {

Tensor filled(const Dims& shape, DType dtype) {
  Tensor tensor(shape);
  float* data = tensor.data();
  for (std::int64_t i = 0; i < tensor.size(); ++i) data[i] = float((i * 2654435761 >> 8) % 4096) / 2048 - 1;
  return dtype == DType::f32 ? tensor : convert(tensor, dtype);
}

// Lengths from a whole to an eighth of the longest, out of order as they arrive.
std::int64_t ragged_length(std::int64_t longest, std::int64_t sequence) {
  const std::int64_t eighths = (sequence * 5 + 7) % 8 + 1;
  return std::max<std::int64_t>(longest * eighths / 8, 1);
}

class Maker {
 public:
  Maker(const BenchCase& what, const BenchModel& model, BenchTensors& made)
      : what_(what), config_(model.attention.config()), extra_keys_(model.extra_keys), made_(made) {}

  void make() {
    if (what_.ask == BenchAsk::ragged) make_starts();
    make_rows();
    make_options();
    if (what_.ask == BenchAsk::decode) make_cache();
  }

 private:
  bool core() const { return what_.part == BenchPart::core; }
  std::int64_t query_rows() const {
    if (what_.ask == BenchAsk::ragged) return all_rows_;
    return what_.ask == BenchAsk::decode ? 1 : what_.shape.length;
  }
  std::int64_t key_rows() const {
    const bool own = what_.ask != BenchAsk::ragged && what_.ask != BenchAsk::decode;
    return own ? what_.shape.key_length() : query_rows();
  }

  // A layer takes [batch, rows, width], the core [batch, heads, rows, size]; ragged batches have no batch axis, or 1.
  Dims shape(std::int64_t rows, std::int64_t heads, std::int64_t width) const {
    const bool ragged = what_.ask == BenchAsk::ragged;
    if (core()) return {ragged ? 1 : what_.shape.batch, heads, rows, width};
    return ragged ? Dims{rows, width} : Dims{what_.shape.batch, rows, width};
  }

  Tensor& keep(Tensor tensor) { return made_.kept.emplace_back(std::move(tensor)); }
  TensorView fill(const Dims& dims) { return keep(filled(dims, what_.dtype)); }

  void make_starts() {
    Tensor& starts = keep(Tensor(DType::i64, {what_.shape.batch + 1}));
    std::int64_t* data = starts.data<std::int64_t>();
    for (std::int64_t b = 0; b < what_.shape.batch; ++b) data[b + 1] = data[b] + ragged_length(what_.shape.length, b);
    all_rows_ = data[what_.shape.batch];
    made_.inputs.cumulative_query_lengths = starts;
    if (core()) made_.inputs.cumulative_key_lengths = starts;
  }

  void make_rows() {
    const AttentionConfig& c = config_;
    AttentionInputs& in = made_.inputs;
    if (core()) {
      in.query = fill(shape(query_rows(), c.num_heads, c.head_dim));
      in.key = fill(shape(key_rows(), c.num_kv_heads, c.head_dim));
      in.value = fill(shape(key_rows(), c.num_kv_heads, c.value_dim));
    } else {
      const bool own_keys = what_.shape.keys > 0 || c.key_input_dim != c.model_dim;
      in.query = fill(shape(query_rows(), 1, c.model_dim));
      in.key = own_keys ? fill(shape(key_rows(), 1, c.key_input_dim)) : in.query;
      in.value = c.value_input_dim != c.key_input_dim ? fill(shape(key_rows(), 1, c.value_input_dim)) : in.key;
    }
    made_.outputs.output =
        keep(Tensor(what_.dtype, shape(query_rows(), c.num_heads, core() ? c.value_dim : c.output_dim)));
  }

  void make_options() {
    const BenchShape& s = what_.shape;
    made_.inputs.causal = what_.ask == BenchAsk::causal;
    if (made_.inputs.causal && s.key_length() != s.length) {
      made_.inputs.causal_alignment = CausalAlignment::lower_right;
    }
    if (what_.ask == BenchAsk::padded) {
      Tensor& lengths = keep(Tensor(DType::i64, {s.batch}));
      std::fill_n(lengths.data<std::int64_t>(), s.batch, (s.key_length() + 1) / 2);
      made_.inputs.key_lengths = lengths;
    }
    if (what_.ask == BenchAsk::weights) {
      const std::int64_t keys = s.key_length() + extra_keys_;
      made_.outputs.attention = keep(Tensor({s.batch, config_.num_heads, s.length, keys}));
    }
  }

  void make_cache() {
    KvCacheOptions options;
    options.batch = what_.shape.batch;
    options.capacity = what_.shape.length + 1;
    options.dtype = what_.dtype;
    made_.cache.emplace(config_, options);
    const auto tokens = [&](std::int64_t size) {
      return filled({what_.shape.batch, config_.num_kv_heads, what_.shape.length, size}, what_.dtype);
    };
    made_.cache->append(tokens(config_.head_dim), tokens(config_.value_dim));
    made_.inputs.cache = &*made_.cache;
  }

  const BenchCase& what_;
  const AttentionConfig& config_;
  std::int64_t extra_keys_;
  BenchTensors& made_;
  std::int64_t all_rows_ = 0;
};

}  // namespace

void make_bench_tensors(const BenchCase& what, const BenchModel& model, BenchTensors& tensors) {
  Maker(what, model, tensors).make();
}

}  // namespace headwise::tools
