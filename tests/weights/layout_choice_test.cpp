// Which layout a file has, where names or shapes leave it open or contradict each other.
#include "expect_error.hpp"
#include "loading.hpp"
#include "same_weights.hpp"
#include "written_layouts.hpp"

using namespace headwise;
using namespace written;

namespace {

std::vector<NamedTensor> query_key_value_file(const AttentionWeights& layer) {
  return file_of(fused("", {"query_key_value", "dense"}, groups), layer);
}

}  // namespace

TEST_CASE("rows whose order no shape tells are refused until somebody says it") {
  for (const std::int64_t kv_heads : {4, 2}) {
    const auto tensors = query_key_value_file(layer_of(16, 4, kv_heads));
    const TemporaryFolder folder;
    const std::string path = folder.write("m.safetensors", safetensors_file(tensors));
    std::vector<std::string> words{"'model.layers.3.attn.'", "falcon or chatglm", "LoadOptions::family", "model_type"};
    if (kv_heads == 4) words.push_back("bloom, gpt_neox");
    expect_error(ErrorCode::invalid_argument, words, [&] { load_attention(path, with_heads(4)); });
    const AttentionLayer found = find_attention_layers(WeightFile::open(path)).at(0);
    CHECK(found.family.empty());
    CHECK(found.candidates.size() == (kv_heads == 4 ? 4 : 2));
    folder.write("config.json", "{\"model_type\": \"unheard_of\"}");
    expect_error(ErrorCode::invalid_argument, words, [&] { load_attention(path, with_heads(4)); });
  }
}

TEST_CASE("two orders of the same rows are two layers") {
  const auto tensors = query_key_value_file(layer_of(16, 4, 4));
  LoadOptions options = with_heads(4);
  options.family = "bloom";
  const AttentionWeights by_head = load(tensors, options);
  options.family = "chatglm";
  options.allow_missing_bias = true;
  CHECK(!same(load(tensors, options).query_weight, by_head.query_weight));
}

TEST_CASE("what a shape contradicts is refused though it is asked for, with both shapes") {
  const AttentionWeights layer = layer_of(16, 4, 4);
  const auto check = [&](const Stored& stored, const std::string& family, const std::vector<std::string>& shapes) {
    LoadOptions options = with_heads(4);
    options.family = family;
    expect_error(ErrorCode::bad_file, shapes, [&] { load(file_of(stored, layer), options); });
  };
  check(conv1d({"c_attn", "c_proj"}, query_key_value), "nanogpt", {"c_attn.weight'", "[48, 48]", "[16, 48]"});
  check(fused("nanogpt", {"c_attn", "c_proj"}, query_key_value), "gpt2", {"c_attn.weight'", "[48, 48]", "[48, 16]"});
}

TEST_CASE("shapes in an error are as the file stores them") {
  auto tensors = file_of(dense("keras", {"query", "key", "value", "attention_output"}, ".", true), layer_of(10, 6, 2));
  const auto refused = [&](std::size_t which, const Dims& shape, const std::vector<std::string>& words) {
    auto changed = tensors;
    changed[which].tensor = Tensor(shape);
    expect_error(ErrorCode::bad_file, words, [&] { load(changed, with_heads(4)); });
  };
  refused(1, {10, 3, 6}, {"key.kernel'", "expected shape [10, 4, 6]", "fewer heads", "found shape [10, 3, 6]"});
  refused(3, {4, 6, 0}, {"attention_output.kernel'", "found shape [4, 6, 0]"});
  refused(3, {6, 4, 10}, {"attention_output.kernel'", "expected shape [4, 6, 10]", "found shape [6, 4, 10]"});
  refused(4, {6, 4}, {"query.bias'", "expected shape [4, 6]", "found shape [6, 4]"});
  refused(7, {2, 5}, {"attention_output.bias'", "[2, 5]"});
}

TEST_CASE("families that are known by name only say why they are refused") {
  const std::pair<std::vector<std::string>, std::vector<std::string>> families[] = {
      {{"kv_a_proj_with_mqa", "kv_b_proj", "o_proj"}, {"deepseek_mla", "low-rank"}},
      {{"self.query_proj", "self.key_proj", "self.value_proj", "output.dense"}, {"deberta", "relative positions"}},
      {{"self.in_proj", "output.dense"}, {"deberta", "relative positions"}},
      {{"qkv_proj", "out_proj"}, {"codegen", "shards", "name map"}}};
  for (const auto& [names, words] : families) {
    std::vector<NamedTensor> tensors;
    for (const std::string& name : names) tensors.push_back({"a." + name + ".weight", Tensor({4, 4})});
    CAPTURE(names[0]);
    expect_error(ErrorCode::unsupported, words, [&] { load(tensors, with_heads(2)); });
  }
}

TEST_CASE("a model whose rows are known to have another order is refused by its type, under names that others share") {
  Stored stored = fused("nanogpt", {"c_attn", "c_proj"}, query_key_value);
  const AttentionWeights layer = layer_of(16, 4, 4);
  check_same(loaded(stored, file_of(stored, layer), with_heads(4)), layer);
  stored.config = "\"model_type\": \"gpt_bigcode\"";
  expect_error(ErrorCode::unsupported, {"gpt_bigcode", "follow each other", "name map"},
               [&] { loaded(stored, file_of(stored, layer), with_heads(4)); });
}

TEST_CASE("buffers beside a layer are ignored, parts that would change it are not") {
  const AttentionWeights layer = layer_of(16, 4, 4);
  const Stored gpt2 = conv1d({"c_attn", "c_proj"}, query_key_value);
  const auto with_tensor = [&](const Stored& stored, const std::string& name, const Dims& shape) {
    auto tensors = file_of(stored, layer);
    tensors.push_back({"model.layers.3.attn." + name, Tensor(shape)});
    return tensors;
  };
  check_same(load(with_tensor(gpt2, "bias", {1, 1, 8, 8}), with_heads(4)), layer);
  check_same(load(with_tensor(gpt2, "masked_bias", Dims{}), with_heads(4)), layer);
  check_same(load(with_tensor(gpt2, "position_ids", {1, 8}), with_heads(4)), layer);
  const Stored keras = dense("keras", {"query", "key", "value", "attention_output"}, ".", true);
  expect_error(ErrorCode::unsupported, {"gate.kernel'"}, [&] {
    load(with_tensor(keras, "gate.kernel", {16, 4, 4}), with_heads(4));
  });
  expect_error(ErrorCode::unsupported, {"relative_position_bias_table'"}, [&] {
    load(with_tensor(stacked({"qkv", "proj"}), "relative_position_bias_table", {9, 4}), with_heads(4));
  });
}

TEST_CASE("a quantizable module's own layers come before the matrix of its base class") {
  const AttentionWeights layer = layer_of(16, 4, 4);
  auto tensors = file_of(linear("torch_mha", {"linear_Q", "linear_K", "linear_V", "out_proj"}), layer);
  tensors.push_back({"model.layers.3.attn.in_proj_weight", Tensor({48, 16})});
  tensors.push_back({"model.layers.3.attn.in_proj_bias", Tensor({48})});
  check_same(load(tensors, with_heads(4)), layer);
}

TEST_CASE("GPT-2's cross-attention is not taken for its self-attention") {
  const AttentionWeights layer = layer_of(16, 4, 4);
  const auto tensors = file_of(conv1d({"q_attn", "c_attn", "c_proj"}, key_value), layer);
  const TemporaryFolder folder;
  const auto layers = find_attention_layers(WeightFile::open(folder.write("m.safetensors", safetensors_file(tensors))));
  REQUIRE(layers.size() == 1);
  CHECK(layers[0].parts.size() == 6);
  CHECK(layers[0].widths.key == 16);
}
