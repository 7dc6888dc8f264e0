// What options cost: the time of a call with one, divided by the time of the plain call beside it. Both run in turns in
// one process on one thread, so that a clock that drifts moves both. Usage: option_costs [part of a name].
#include <headwise/headwise.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "statistics.hpp"
#include "thread_time.hpp"

using namespace headwise;

namespace {

Tensor filled(const Dims& shape, DType dtype = DType::f32) {
  Tensor tensor(shape);
  for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.data()[i] = float((i * 2654435761 >> 8) % 4096) / 2048 - 1;
  return dtype == DType::f32 ? std::move(tensor) : convert(tensor, dtype);
}

// A head-by-head call with everything that it needs to live.
struct Call {
  MultiHeadAttention model;
  Session session;
  Tensor query, key, value, output, extra;
  std::vector<Tensor> kept;
  AttentionInputs in;
  AttentionOutputs out;

  Call(const AttentionWeights& layer, std::int64_t queries, std::int64_t keys, DType dtype = DType::f32)
      : model(MultiHeadAttention::without_projections(layer)), session(model, {1, Schedule::wide}) {
    const AttentionConfig& c = model.config();
    query = filled({1, c.num_heads, queries, c.head_dim}, dtype);
    key = filled({1, c.num_kv_heads, keys, c.head_dim}, dtype);
    value = filled({1, c.num_kv_heads, keys, c.value_dim}, dtype);
    output = Tensor(dtype, {1, c.num_heads, queries, c.value_dim});
    in = {.query = query, .key = key, .value = value};
    out = {.output = output};
  }
  void run() { session.run(in, out); }
};

AttentionWeights layer(std::int64_t heads, std::int64_t size = 64, std::int64_t kv_heads = 0) {
  AttentionWeights weights;
  weights.config = {.num_heads = heads, .num_kv_heads = kv_heads, .head_dim = size};
  return weights;
}

using Change = std::function<void(Call&)>;
using Run = std::function<void()>;

struct Comparison {
  std::string name;
  Run plain, option;
};

Run runner(const AttentionWeights& weights, std::int64_t queries, std::int64_t keys, const Change& change,
           DType dtype = DType::f32) {
  auto call = std::make_shared<Call>(weights, queries, keys, dtype);
  change(*call);
  return [call] { call->run(); };
}

void keep(Call& call, Tensor tensor, TensorView& view) {
  call.kept.push_back(std::move(tensor));
  view = call.kept.back();
}

Tensor dense_mask(std::int64_t queries, std::int64_t keys,
                  const std::function<bool(std::int64_t, std::int64_t)>& live) {
  Tensor mask(DType::boolean, {queries, keys});
  for (std::int64_t i = 0; i < queries; ++i) {
    for (std::int64_t j = 0; j < keys; ++j) mask.data<bool>()[i * keys + j] = live(i, j);
  }
  return mask;
}

void causal(Call& call) {
  call.in.causal = true;
}
void causal_mask(Call& call) {
  call.in.attention_mask_meaning = BooleanMask::keep;
  const std::int64_t length = call.query.shape()[2];
  keep(call, dense_mask(length, length, [](auto i, auto j) { return j <= i; }), call.in.attention_mask);
}
void half_padding(Call& call) {
  const std::int64_t keys = call.key.shape()[2];
  call.in.key_padding_meaning = BooleanMask::keep;
  Tensor mask = dense_mask(1, keys, [=](auto, auto j) { return j < keys / 2; });
  keep(call, std::move(mask), call.in.key_padding_mask);
}
void scattered_padding(Call& call) {
  call.in.key_padding_meaning = BooleanMask::keep;
  keep(call, dense_mask(1, call.key.shape()[2], [](auto, auto j) { return j * 7 % 13 < 6; }), call.in.key_padding_mask);
}
void half_lengths(Call& call) {
  Tensor lengths(DType::i64, {1});
  lengths.data<std::int64_t>()[0] = call.key.shape()[2] / 2;
  keep(call, std::move(lengths), call.in.key_lengths);
}
void window(Call& call) {
  call.in.window = {255, 0};
}
void wide_window(Call& call) {
  call.in.window = {128, 127};
}
void float_mask(Call& call) {
  keep(call, filled({call.query.shape()[2], call.key.shape()[2]}), call.in.attention_mask);
}
void weights(Call& call) {
  call.kept.push_back(Tensor({1, call.query.shape()[1], call.query.shape()[2], call.key.shape()[2]}));
  call.out.attention = call.kept.back();
}
void average(Call& call) {
  call.kept.push_back(Tensor({1, call.query.shape()[2], call.key.shape()[2]}));
  call.out.average_attention = call.kept.back();
}
void log_sums(Call& call) {
  call.kept.push_back(Tensor({1, call.query.shape()[1], call.query.shape()[2]}));
  call.out.log_sum_exp = call.kept.back();
}
void nothing(Call&) {}

void add_positions(std::vector<Comparison>& all) {
  for (const std::int64_t length : {2048, 4096}) {
    const Run plain = runner(layer(8), length, length, nothing);
    const std::string at = " " + std::to_string(length);
    all.push_back({"causal" + at, plain, runner(layer(8), length, length, causal)});
    all.push_back({"causal as a mask tensor" + at, plain, runner(layer(8), length, length, causal_mask)});
    all.push_back({"half of the keys padding" + at, plain, runner(layer(8), length, length, half_padding)});
    all.push_back({"half of the keys by length" + at, plain, runner(layer(8), length, length, half_lengths)});
    all.push_back({"7 of 13 keys dead, scattered" + at, plain, runner(layer(8), length, length, scattered_padding)});
    all.push_back({"window of 256 back" + at, plain, runner(layer(8), length, length, window)});
    all.push_back({"window of 128 either side" + at, plain, runner(layer(8), length, length, wide_window)});
  }
}

void add_outputs(std::vector<Comparison>& all) {
  for (const std::int64_t length : {128, 512, 2048}) {
    const Run plain = runner(layer(8), length, length, nothing);
    const std::string at = " " + std::to_string(length);
    all.push_back({"weights" + at, plain, runner(layer(8), length, length, weights)});
    all.push_back({"weights, head size 128" + at, runner(layer(8, 128), length, length, nothing),
                   runner(layer(8, 128), length, length, weights)});
    all.push_back({"average weights" + at, plain, runner(layer(8), length, length, average)});
    all.push_back({"log-sum-exp" + at, plain, runner(layer(8), length, length, log_sums)});
  }
}

void add_modifiers(std::vector<Comparison>& all) {
  const std::int64_t length = 512;
  const Run plain = runner(layer(8), length, length, nothing);
  AttentionWeights capped = layer(8), alibi = layer(8), t5 = layer(8), sinks = layer(8), turned = layer(8);
  capped.config.softcap = 30;
  alibi.config.position_bias.kind = PositionBias::alibi;
  t5.config.position_bias.kind = PositionBias::t5;
  t5.relative_bias = filled({32, 8});
  sinks.sinks = filled({8});
  turned.config.rotary.dim = 64;
  all.push_back({"soft-cap", plain, runner(capped, length, length, nothing)});
  all.push_back({"ALiBi", plain, runner(alibi, length, length, nothing)});
  all.push_back({"T5 buckets", plain, runner(t5, length, length, nothing)});
  all.push_back({"sinks", plain, runner(sinks, length, length, nothing)});
  all.push_back({"rotary", plain, runner(turned, length, length, nothing)});
  all.push_back({"float mask", plain, runner(layer(8), length, length, float_mask)});
  all.push_back({"two key/value heads for eight", plain, runner(layer(8, 64, 2), length, length, nothing)});
  all.push_back({"f16 in and out", plain, runner(layer(8), length, length, nothing, DType::f16)});
  all.push_back({"bf16 in and out", plain, runner(layer(8), length, length, nothing, DType::bf16)});
}

// Sequences of many lengths in one ragged call, beside the same sequences one after the other.
void add_ragged(std::vector<Comparison>& all) {
  struct Batch {
    MultiHeadAttention model{random_weights({.model_dim = 384, .num_heads = 12}, 1)};
    Session session{model, {1, Schedule::automatic}};
    Tensor x, y, starts{DType::i64, {25}};
  };
  auto batch = std::make_shared<Batch>();
  std::int64_t* starts = batch->starts.data<std::int64_t>();
  for (std::int64_t b = 0; b < 24; ++b) starts[b + 1] = starts[b] + 16 + b * 37 % 240;
  batch->x = filled({starts[24], 384});
  batch->y = Tensor({starts[24], 384});
  const auto alone = [batch, starts] {
    for (std::int64_t b = 0; b < 24; ++b) {
      const Dims shape{starts[b + 1] - starts[b], 384};
      const TensorView x(batch->x.data() + starts[b] * 384, DType::f32, shape);
      batch->session.run({.query = x, .key = x, .value = x},
                         {.output = {batch->y.data() + starts[b] * 384, DType::f32, shape}});
    }
  };
  const auto together = [batch] {
    batch->session.run(
        {.query = batch->x, .key = batch->x, .value = batch->x, .cumulative_query_lengths = batch->starts},
        {.output = batch->y});
  };
  all.push_back({"ragged layer, 24 sequences of 16 to 255", alone, together});
}

double seconds(const Run& run, int repeats) {
  const double start = now();
  for (int i = 0; i < repeats; ++i) run();
  return (now() - start) / repeats;
}

void measure(const Comparison& pair) {
  pair.option();
  pair.plain();
  const int repeats = std::max(1, int(0.01 / seconds(pair.plain, 1)));
  std::vector<double> ratios;
  double plain = 0;
  for (int round = 0; round < 15; ++round) {
    plain = seconds(pair.plain, repeats);
    ratios.push_back(seconds(pair.option, repeats) / plain);
  }
  std::printf("%-42s %8.3f %8.3f to %.3f %10.2f\n", pair.name.c_str(), median(ratios), percentile(ratios, 0.1),
              percentile(ratios, 0.9), plain * 1e3);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<Comparison> all;
  add_positions(all);
  add_outputs(all);
  add_modifiers(all);
  add_ragged(all);
  std::printf("%-42s %8s %17s %10s\n", "option", "× plain", "10 to 90 %", "plain, ms");
  for (const Comparison& pair : all) {
    if (argc < 2 || pair.name.find(argv[1]) != std::string::npos) measure(pair);
  }
}
