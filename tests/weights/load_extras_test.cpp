#include <cmath>

#include "expect_error.hpp"
#include "headwise/weights.hpp"
#include "loading.hpp"
#include "same_weights.hpp"
#include "stored_layer.hpp"
#include "temporary_folder.hpp"

using namespace headwise;

namespace {

const std::vector<std::string> llama_names{"q_proj", "k_proj", "v_proj", "o_proj"};

// A layer of extras.safetensors, see make_fixtures.py.
AttentionWeights stored(const std::string& prefix, LoadOptions options = with_heads(2)) {
  options.prefix = prefix;
  return load_attention(HEADWISE_TEST_DATA "/extras.safetensors", options);
}

// The elements go up in eighths from here.
void check_counted(const Tensor& tensor, const Dims& shape, int start) {
  REQUIRE(tensor.shape() == shape);
  for (std::int64_t i = 0; i < tensor.size(); ++i) REQUIRE(tensor.data()[i] == static_cast<float>(start + i) / 8);
}

AttentionWeights grouped_layer() {
  AttentionConfig config;
  config.model_dim = 10;
  config.num_heads = 6;
  config.num_kv_heads = 2;
  config.head_dim = 4;
  config.value_dim = 3;
  return random_weights(config, 31);
}

}  // namespace

TEST_CASE("query heads that share key/value heads are read from the shapes") {
  const AttentionWeights layer = grouped_layer();
  const AttentionWeights loaded = load(four_linears(layer, "a.", llama_names), with_heads(6));
  check_same(loaded, layer);
  CHECK(loaded.config.num_kv_heads == 2);
  CHECK(loaded.config.head_dim == 4);
  CHECK(loaded.config.value_dim == 3);
  CHECK(loaded.config.rotary.dim == 0);
}

TEST_CASE("norms, sinks and shared heads load as another program wrote them") {
  const AttentionWeights loaded = stored("model.layers.0.self_attn");
  CHECK(loaded.config.num_kv_heads == 1);
  check_counted(loaded.query_weight, {4, 4}, 0);
  check_counted(loaded.key_weight, {2, 4}, 16);
  check_counted(loaded.value_weight, {2, 4}, 24);
  check_counted(loaded.output_weight, {4, 4}, 32);
  check_counted(loaded.query_norm, {2}, 48);
  check_counted(loaded.key_norm, {2}, 50);
  check_counted(loaded.sinks, {2}, 52);
}

TEST_CASE("norms that are stored less one get it back") {
  LoadOptions options = with_heads(2);
  options.norm_plus_one = true;
  const AttentionWeights loaded = stored("model.layers.0.self_attn", options);
  check_counted(loaded.query_norm, {2}, 48 + 8);
  check_counted(loaded.key_norm, {2}, 50 + 8);
  check_counted(loaded.sinks, {2}, 52);
}

TEST_CASE("torch's appended key and value lose their leading axes") {
  const AttentionWeights loaded = stored("packed");
  check_counted(loaded.bias_key, {4}, 64);
  check_counted(loaded.bias_value, {4}, 68);
}

TEST_CASE("T5's layers share the table of their stack and do not scale") {
  const std::tuple<const char*, int, int, bool> cases[] = {{"encoder.block.0.layer.0", 0, 200, true},
                                                           {"encoder.block.1.layer.0", 64, 200, true},
                                                           {"decoder.block.0.layer.0", 128, 216, false}};
  for (const auto& [prefix, start, table, bidirectional] : cases) {
    const AttentionWeights loaded = stored(prefix);
    check_counted(loaded.query_weight, {4, 4}, start);
    check_counted(loaded.output_weight, {4, 4}, start + 48);
    check_counted(loaded.relative_bias, {8, 2}, table);
    CHECK(loaded.config.scale == 1.0F);
    CHECK(loaded.config.position_bias.kind == PositionBias::t5);
    CHECK(loaded.config.position_bias.bidirectional == bidirectional);
    CHECK(loaded.config.position_bias.max_distance == 128);
  }
}

TEST_CASE("T5's cross-attention has no bias, whatever an old file holds") {
  const AttentionWeights loaded = stored("decoder.block.0.layer.1");
  check_counted(loaded.key_weight, {4, 4}, 192 + 16);
  CHECK(loaded.config.position_bias.kind == PositionBias::none);
  CHECK(!loaded.relative_bias.given());
  CHECK(loaded.config.scale == 1.0F);
}

TEST_CASE("a table of a layer's own comes before the shared one") {
  std::vector<NamedTensor> tensors;
  for (const char* block : {"block.0.layer.0.", "block.1.layer.0."}) {
    const std::string start = std::string(block) + "SelfAttention.";
    for (const auto& named : four_linears(square_layer(), start, {"q", "k", "v", "o"})) tensors.push_back(named);
    tensors.push_back({start + "relative_attention_bias.weight", Tensor({8, 3})});
  }
  tensors.back().tensor.data()[0] = 7;
  LoadOptions options = with_heads(3);
  options.layer = 1;
  CHECK(load(tensors, options).relative_bias.data()[0] == 7);
  options.layer = 0;
  CHECK(load(tensors, options).relative_bias.data()[0] == 0);
}

TEST_CASE("T5 without its table, or with one that does not fit, is refused") {
  auto tensors = four_linears(square_layer(), "encoder.block.2.layer.0.SelfAttention.", {"q", "k", "v", "o"});
  const auto refused = [&](ErrorCode code, const std::vector<std::string>& words, const LoadOptions& options) {
    expect_error(code, words, [&] { load(tensors, options); });
  };
  LoadOptions options = with_heads(3);
  refused(ErrorCode::bad_file, {"relative_attention_bias.weight'", "block 0", "none"}, options);
  options.position_bias = PositionBiasConfig{};
  CHECK(load(tensors, options).config.position_bias.kind == PositionBias::none);
  options.position_bias.reset();
  const std::string table = "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight";
  tensors.push_back({table, Tensor({8, 2})});
  refused(ErrorCode::bad_file, {"(relative_bias)", "[8, 3]", "[8, 2]"}, options);
  tensors.back().tensor = Tensor({3, 3});
  refused(ErrorCode::invalid_argument, {"3 buckets", "max_distance 128"}, options);
  tensors.back().tensor = Tensor({512, 3});
  refused(ErrorCode::invalid_argument, {"512 buckets", "max_distance 128"}, options);
}

TEST_CASE("a position bias that is given wins") {
  LoadOptions options = with_heads(2);
  options.position_bias = PositionBiasConfig{};
  options.position_bias->kind = PositionBias::alibi;
  const AttentionWeights loaded = stored("encoder.block.1.layer.0", options);
  CHECK(loaded.config.position_bias.kind == PositionBias::alibi);
  CHECK(!loaded.relative_bias.given());
  options.position_bias->kind = PositionBias::t5;
  expect_error(ErrorCode::invalid_argument, {"t5", "torch_mha"}, [&] { stored("packed", options); });
}

TEST_CASE("what no file says comes from the options") {
  LoadOptions options = with_heads(6);
  options.softcap = 50;
  options.add_zero_attention = true;
  options.rotary = RotaryConfig{};
  options.rotary->dim = 4;
  options.rotary->base = 500000;
  options.norm_epsilon = 0.5F;
  const AttentionConfig config = load(four_linears(grouped_layer(), "", llama_names), options).config;
  CHECK(config.softcap == 50);
  CHECK(config.add_zero_attention);
  CHECK(config.rotary.dim == 4);
  CHECK(config.rotary.base == 500000);
  CHECK(config.norm_epsilon == 0.5F);
  options.rotary->dim = 6;
  expect_error(ErrorCode::invalid_argument, {"rotary.dim is 6"},
               [&] { load(four_linears(grouped_layer(), "", llama_names), options); });
}

TEST_CASE("stored frequencies are nothing new once the rotary embedding is known") {
  auto tensors = four_linears(grouped_layer(), "", llama_names);
  tensors.push_back({"rotary_emb.inv_freq", Tensor({2})});
  LoadOptions options = with_heads(6);
  expect_error(ErrorCode::unsupported, {"'rotary_emb.inv_freq'", "LoadOptions::rotary"},
               [&] { load(tensors, options); });
  options.rotary = RotaryConfig{};
  CHECK(load(tensors, options).config.rotary.dim == 0);
}

TEST_CASE("a layer can be pruned while it is loaded") {
  const AttentionWeights layer = grouped_layer();
  LoadOptions options = with_heads(6);
  options.keep_heads = {4, 0};
  check_same(load(four_linears(layer, "", llama_names), options), keep_heads(layer, {0, 4}));
  options.keep_heads = {6};
  expect_error(ErrorCode::invalid_argument, {"no head 6"},
               [&] { load(four_linears(layer, "", llama_names), options); });
}

TEST_CASE("progress counts the extra parts too") {
  std::uint64_t last = 0, all = 0;
  LoadOptions options = with_heads(2);
  options.position_bias = PositionBiasConfig{};  // the table is read and dropped
  options.open.progress = [&](std::uint64_t done, std::uint64_t total) { last = done, all = total; };
  const WeightFile file = WeightFile::open(HEADWISE_TEST_DATA "/extras.safetensors");
  options.prefix = "encoder.block.1.layer.0";
  load_attention(file, options);
  CHECK(all == (4 * 16 + 16) * sizeof(float));
  CHECK(last == all);
}
