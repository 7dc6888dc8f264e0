// store_layer() against load_attention(): whatever is stored loads as the same bits.
#include <cmath>
#include <set>

#include "expect_error.hpp"
#include "headwise/weight_layouts.hpp"
#include "round_trip.hpp"
#include "same_weights.hpp"

using namespace headwise;

namespace {

std::set<std::string> names_of(const StoredLayer& stored) {
  std::set<std::string> names;
  for (const auto& entry : stored.tensors) names.insert(entry.first);
  return names;
}

void drop_biases(AttentionWeights& w) {
  for (Tensor* bias : {&w.query_bias, &w.key_bias, &w.value_bias, &w.output_bias}) *bias = Tensor();
}

Tensor filled(const Dims& shape, float first) {
  Tensor tensor(shape);
  for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.data()[i] = first + static_cast<float>(i) / 8;
  return tensor;
}

AttentionWeights rich_layer() {
  AttentionWeights w = grouped_layer();
  w.query_norm = filled({2}, 1);
  w.key_norm = filled({2}, 2);
  w.sinks = filled({4}, -1);
  w.bias_key = filled({4}, 3);
  w.bias_value = filled({4}, 5);
  return w;
}

std::set<std::string> families() {
  std::set<std::string> names;
  for (const FamilyRow& row : list_families()) {
    if (row.refusal.empty()) names.insert(row.family);
  }
  return names;
}

void refused(const AttentionWeights& weights, const std::string& family, const std::string& word) {
  expect_error(ErrorCode::invalid_argument, {"'" + family + "'", word},
               [&] { store_layer(weights, {.family = family}); });
}

}  // namespace

TEST_CASE("a square layer comes back from every family, with and without biases") {
  AttentionWeights layer = square_layer();
  CHECK(families().size() >= 12);
  for (const bool biases : {true, false}) {
    if (!biases) drop_biases(layer);
    for (const std::string& family : families()) {
      CAPTURE(family);
      CAPTURE(biases);
      check_same(round_trip(layer, {.family = family, .prefix = "a.0."}), layer);
    }
  }
}

TEST_CASE("fewer key/value heads come back from the families that have them, others refuse") {
  const AttentionWeights layer = grouped_layer();
  int stored = 0;
  for (const std::string& family : families()) {
    CAPTURE(family);
    try {
      check_same(round_trip(layer, {.family = family, .prefix = "a"}), layer);
      ++stored;
    } catch (const Error& error) {
      CHECK(std::string(error.what()).find("fewer key/value heads") != std::string::npos);
    }
  }
  CHECK(stored >= 5);
}

TEST_CASE("tensors have the names and shapes of the family") {
  const AttentionWeights layer = square_layer();
  const StoredLayer torch = store_layer(layer, {.family = "torch_mha", .prefix = "enc"});
  CHECK(torch.prefix == "enc.");
  CHECK(names_of(torch) ==
        std::set<std::string>{"enc.in_proj_weight", "enc.in_proj_bias", "enc.out_proj.weight", "enc.out_proj.bias"});
  CHECK(torch.tensors.at("enc.in_proj_weight").shape() == Dims{18, 6});
  const StoredLayer gpt2 = store_layer(layer, {.family = "gpt2"});
  CHECK(gpt2.tensors.at("c_attn.weight").shape() == Dims{6, 18});
  CHECK(gpt2.tensors.at("c_attn.weight").data()[1] == layer.query_weight.data()[6]);
  const StoredLayer keras = store_layer(layer, {.family = "keras", .prefix = "a/"});
  CHECK(keras.tensors.at("a/query.kernel").shape() == Dims{6, 3, 2});
  CHECK(keras.tensors.at("a/attention_output.kernel").shape() == Dims{3, 2, 6});
  CHECK(keras.tensors.at("a/query.bias").shape() == Dims{3, 2});
  CHECK(keras.tensors.at("a/attention_output.bias").shape() == Dims{6});
}

TEST_CASE("a model's type finds the family that serves it") {
  const StoredLayer llama = store_layer(grouped_layer(), {.family = "llama", .prefix = "model.layers.0.self_attn"});
  CHECK(llama.family == "linear4");
  CHECK(llama.tensors.count("model.layers.0.self_attn.o_proj.weight") == 1);
  CHECK(store_layer(square_layer(), {.family = "roberta"}).tensors.count("self.query.weight") == 1);
}

TEST_CASE("widths of their own go to the family that has them") {
  AttentionConfig config;
  config.model_dim = 6;
  config.num_heads = 3;
  config.key_input_dim = 5;
  config.value_input_dim = 7;
  config.output_dim = 4;
  const AttentionWeights layer = random_weights(config, 3);
  for (const char* family : {"torch_mha_separate", "linear4", "keras", "flax", "bert"}) {
    CAPTURE(family);
    check_same(round_trip(layer, {.family = family, .prefix = "x"}), layer);
  }
  refused(layer, "gpt2", "inputs of different widths");
  refused(layer, "qkv", "inputs of different widths");
  config = {};
  config.model_dim = 6;
  config.num_heads = 3;
  config.value_dim = 4;
  refused(random_weights(config, 3), "bloom", "values of another size");
  check_same(round_trip(random_weights(config, 3), {.family = "linear4"}), random_weights(config, 3));
}

TEST_CASE("keys and values of another width than queries take gpt2's cross-attention") {
  AttentionConfig config;
  config.model_dim = 6;
  config.num_heads = 3;
  config.key_input_dim = config.value_input_dim = 5;
  const AttentionWeights layer = random_weights(config, 3);
  const StoredLayer stored = store_layer(layer, {.family = "gpt2"});
  CHECK(stored.tensors.at("c_attn.weight").shape() == Dims{5, 12});
  check_same(round_trip(layer, {.family = "gpt2"}), layer);
}

TEST_CASE("norms, sinks and added keys are kept or refused, never left out") {
  const AttentionWeights layer = rich_layer();
  check_same(round_trip(layer, {.family = "linear4", .prefix = "a"}), layer);
  refused(layer, "qkv", "query_norm");
  AttentionWeights only_added = layer;
  only_added.query_norm = only_added.key_norm = only_added.sinks = Tensor();
  refused(only_added, "qkv", "bias_key");
  AttentionWeights torch = square_layer();
  torch.bias_key = filled({6}, 3);
  torch.bias_value = filled({6}, 5);
  check_same(round_trip(torch, {.family = "torch_mha"}), torch);
  AttentionWeights relative = square_layer();
  drop_biases(relative);
  relative.config.position_bias.kind = PositionBias::t5;
  relative.relative_bias = filled({32, 3}, 0);
  check_same(round_trip(relative, {.family = "t5", .prefix = "encoder.block.0.layer.0"}), relative);
  refused(relative, "linear4", "relative_bias");
}

TEST_CASE("biases that are missing beside others become zeros") {
  for (const auto missing :
       {&AttentionWeights::query_bias, &AttentionWeights::key_bias, &AttentionWeights::value_bias}) {
    AttentionWeights layer = square_layer();
    layer.*missing = Tensor();
    AttentionWeights expected = layer;
    expected.*missing = Tensor({6});
    for (const char* family : {"linear4", "torch_mha", "torch_mha_separate", "bloom", "gpt2", "keras"}) {
      CAPTURE(family);
      check_same(round_trip(layer, {.family = family}), expected);
    }
  }
  AttentionWeights layer = square_layer();
  layer.query_bias = layer.key_bias = layer.value_bias = Tensor();
  const StoredLayer vit = store_layer(layer, {.family = "vit"});
  CHECK(vit.tensors.count("attention.query.bias") == 0);
  CHECK(vit.tensors.count("output.dense.bias") == 1);
  check_same(round_trip(layer, {.family = "vit"}), layer);
}

TEST_CASE("f16 and bf16 round to nearest even, too large values become infinite") {
  AttentionWeights layer = square_layer();
  float* values = layer.query_weight.data();
  const float inputs[] = {1 + 0x1p-11F, 1 + 3 * 0x1p-11F, 65519.996F, 65520, 0x1p-25F, 0x1.8p-25F};
  const float halves[] = {1, 1 + 0x1p-9F, 65504, INFINITY, 0, 0x1p-24F};
  std::copy_n(inputs, 6, values);
  const AttentionWeights half = round_trip(layer, {.family = "linear4", .dtype = DType::f16});
  for (int i = 0; i < 6; ++i) CHECK(half.query_weight.data()[i] == halves[i]);
  values[0] = 1 + 0x1p-8F;
  values[1] = 1 + 3 * 0x1p-8F;
  values[2] = 3.4e38F;
  const AttentionWeights brain = round_trip(layer, {.family = "torch_mha", .dtype = DType::bf16});
  CHECK(brain.query_weight.data()[0] == 1);
  CHECK(brain.query_weight.data()[1] == 1 + 0x1p-6F);
  CHECK(std::isinf(brain.query_weight.data()[2]));
  CHECK(store_layer(layer, {.family = "torch_mha", .dtype = DType::bf16}).tensors.at("in_proj_bias").dtype() ==
        DType::bf16);
  check_same(round_trip(layer, {.family = "bert", .dtype = DType::f64}), layer);
}

TEST_CASE("names choose among the rows of a family") {
  const AttentionWeights layer = square_layer();
  LayerStorage storage{.matrices = {"linears.0.weight"}};
  CHECK(store_layer(layer, storage).tensors.count("linears.3.bias") == 1);
  storage.matrices = {"q_proj.weight", "o_proj.weight"};
  CHECK(store_layer(layer, storage).tensors.count("o_proj.weight") == 1);
  storage.matrices = {"none.weight"};
  expect_error(ErrorCode::invalid_argument, {"linear4", "none.weight"}, [&] { store_layer(layer, storage); });
}

TEST_CASE("tensors that do not fit the config are refused, f16 ones are widened") {
  AttentionWeights layer = square_layer();
  layer.query_weight = convert(layer.query_weight, DType::f16);
  CHECK(store_layer(layer, {.family = "bert"}).tensors.at("self.query.weight").dtype() == DType::f32);
  const auto fails = [](AttentionWeights weights, Tensor AttentionWeights::*part, Tensor tensor, const char* word) {
    weights.*part = std::move(tensor);
    expect_error(ErrorCode::invalid_argument, {"store_layer", word}, [&] { store_layer(weights, {}); });
  };
  fails(square_layer(), &AttentionWeights::key_weight, Tensor({5, 6}),
        "key_weight: expected shape [6, 6], found [5, 6]");
  fails(square_layer(), &AttentionWeights::output_weight, Tensor(), "output_weight: expected shape [6, 6], found none");
  fails(square_layer(), &AttentionWeights::value_bias, Tensor({1, 6}), "value_bias");
  fails(square_layer(), &AttentionWeights::bias_key, Tensor({1, 1, 6}), "bias_key: expected shape [6]");
  fails(square_layer(), &AttentionWeights::relative_bias, Tensor({32, 2}), "relative_bias: expected shape [32, 3]");
}

TEST_CASE("a family that is not known or only known by name stores nothing") {
  for (const char* family : {"", "nonsense", "deberta", "deepseek_mla"}) refused(square_layer(), family, "linear4");
  AttentionWeights halves = square_layer();
  halves.config.rotary.dim = 2;
  CHECK_NOTHROW(store_layer(halves, {.family = "linear4"}));
}
