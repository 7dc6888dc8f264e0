#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "expect_error.hpp"
#include "headwise/weights.hpp"
#include "loading.hpp"
#include "same_weights.hpp"
#include "stored_layer.hpp"
#include "temporary_folder.hpp"

using namespace headwise;

namespace {

const std::vector<std::string> classic{"w_q", "w_k", "w_v", "w_o"};

}  // namespace

TEST_CASE("the same layer gives the same weights from every family") {
  const AttentionWeights layer = square_layer();
  const std::vector<NamedTensor> stored[] = {
      four_linears(layer, "attn.", classic),
      four_linears(layer, "encoder.layer.0.attention.", {"self.query", "self.key", "self.value", "output.dense"}),
      torch_packed(layer, "self_attn."), torch_separate(layer, "self_attn.")};
  for (const auto& tensors : stored) {
    const AttentionWeights loaded = load(tensors, with_heads(3));
    check_same(loaded, layer);
    CHECK(loaded.config.model_dim == 6);
    CHECK(loaded.config.num_heads == 3);
    CHECK(loaded.config.head_dim == 2);
    CHECK(loaded.config.value_dim == 2);
    CHECK(loaded.config.output_dim == 6);
  }
}

TEST_CASE("a layer without biases has none, in every family") {
  AttentionWeights layer = square_layer();
  layer.query_bias = layer.key_bias = layer.value_bias = layer.output_bias = Tensor();
  check_same(load(four_linears(layer, "", classic), with_heads(3)), layer);
  check_same(load(torch_packed(layer, ""), with_heads(3)), layer);
  check_same(load(torch_separate(layer, ""), with_heads(3)), layer);
}

TEST_CASE("all floating types are read") {
  const AttentionWeights layer = square_layer();
  for (const DType dtype : {DType::f64, DType::f16, DType::bf16}) {
    auto tensors = torch_packed(layer, "");
    for (NamedTensor& named : tensors) named.tensor = convert(named.tensor, dtype);
    const AttentionWeights loaded = load(tensors, with_heads(3));
    CHECK(same(loaded.key_weight, convert(convert(layer.key_weight, dtype), DType::f32)));
    CHECK(same(loaded.output_bias, convert(convert(layer.output_bias, dtype), DType::f32)));
  }
}

TEST_CASE("widths of key, value, heads and output follow from the shapes") {
  AttentionConfig config;
  config.model_dim = 10;
  config.num_heads = 2;
  config.head_dim = 3;
  config.value_dim = 4;
  config.key_input_dim = 5;
  config.value_input_dim = 7;
  config.output_dim = 9;
  const AttentionWeights layer = random_weights(config, 8);
  const AttentionWeights loaded = load(four_linears(layer, "", classic), with_heads(2));
  check_same(loaded, layer);
  CHECK(loaded.config.model_dim == 10);
  CHECK(loaded.config.head_dim == 3);
  CHECK(loaded.config.value_dim == 4);
  CHECK(loaded.config.key_input_dim == 5);
  CHECK(loaded.config.value_input_dim == 7);
  CHECK(loaded.config.output_dim == 9);
}

TEST_CASE("torch's separate widths of key and value are read") {
  AttentionConfig config;
  config.model_dim = 6;
  config.num_heads = 3;
  config.key_input_dim = 5;
  config.value_input_dim = 7;
  const AttentionWeights layer = random_weights(config, 9);
  check_same(load(torch_separate(layer, ""), with_heads(3)), layer);
}

TEST_CASE("scale and the policy for rows without keys are taken over") {
  LoadOptions options = with_heads(3);
  CHECK(load(torch_packed(square_layer(), ""), options).config.scale == static_cast<float>(1 / std::sqrt(2.0)));
  options.scale = 0.25f;
  options.rows_without_keys = RowsWithoutKeys::mean;
  const AttentionConfig config = load(torch_packed(square_layer(), ""), options).config;
  CHECK(config.scale == 0.25f);
  CHECK(config.rows_without_keys == RowsWithoutKeys::mean);
}

TEST_CASE("the number of heads comes from config.json unless it is given") {
  const TemporaryFolder folder;
  folder.write("config.json", R"({"num_attention_heads": 2})");
  const std::string path = folder.write("m.safetensors", safetensors_file(torch_packed(square_layer(), "")));
  CHECK(load_attention(path).config.num_heads == 2);
  CHECK(load_attention(path, with_heads(3)).config.num_heads == 3);
}

TEST_CASE("layer, prefix and family choose among layers") {
  const AttentionWeights layer = square_layer();
  AttentionConfig config = layer.config;
  const AttentionWeights other = random_weights(config, 11);
  auto tensors = four_linears(layer, "layers.0.", classic);
  for (auto& named : four_linears(other, "layers.1.", classic)) tensors.push_back(named);
  for (auto& named : torch_packed(other, "layers.0.")) tensors.push_back(named);
  LoadOptions options = with_heads(3);
  options.layer = 2;
  check_same(load(tensors, options), other);
  options.layer = 0;
  options.family = "torch_mha";
  check_same(load(tensors, options), other);
  options.family = "";
  for (const char* prefix : {"layers.1", "layers.1."}) {
    options.prefix = prefix;
    check_same(load(tensors, options), other);
  }
  options.prefix = "layers.0.";
  expect_error(ErrorCode::invalid_argument, {"there twice"}, [&] { load(tensors, options); });
  options.family = "linear4";
  check_same(load(tensors, options), layer);
}

TEST_CASE("progress counts the bytes of the whole layer and nothing else") {
  auto tensors = torch_packed(square_layer(), "");
  const std::size_t all = (3 * 36 + 36 + 18 + 6) * sizeof(float);
  tensors.push_back({"unrelated", Tensor({100})});
  std::vector<std::uint64_t> done;
  LoadOptions options = with_heads(3);
  options.open.progress = [&](std::uint64_t bytes, std::uint64_t total) {
    done.push_back(bytes);
    CHECK(total == all);
  };
  load(tensors, options);
  CHECK(done.size() == 4);
  CHECK(std::is_sorted(done.begin(), done.end()));
  CHECK(done.back() == all);
}

TEST_CASE("loaded weights do not depend on the file any more") {
  const TemporaryFolder folder;
  const AttentionWeights layer = square_layer();
  const std::string path = folder.write("m.safetensors", safetensors_file(torch_packed(layer, "")));
  const AttentionWeights loaded = load_attention(path, with_heads(3));
  folder.write("m.safetensors", "");
  check_same(loaded, layer);
}

TEST_CASE("case B26: linear layers are stored [out, in]") {
  const auto json = nlohmann::json::parse(std::ifstream(HEADWISE_TEST_DATA "/cases/B26.json"));
  const auto weight = json["inputs"]["weight_stored"].get<std::vector<std::vector<float>>>();
  const auto x = json["inputs"]["x"].get<std::vector<std::vector<float>>>();
  const auto bias = json["inputs"]["bias"].get<std::vector<float>>();
  const auto expected = json["expected"]["if_linear_out_in"].get<std::vector<std::vector<float>>>();
  AttentionConfig config;
  config.model_dim = 3;
  config.num_heads = 1;
  AttentionWeights layer = random_weights(config, 1);
  for (std::size_t row = 0; row < 3; ++row) std::copy_n(weight[row].begin(), 3, layer.key_weight.data() + row * 3);
  std::copy_n(bias.begin(), 3, layer.key_bias.data());
  const AttentionWeights loaded = load(four_linears(layer, "", classic), with_heads(1));
  for (std::size_t row = 0; row < x.size(); ++row) {
    for (std::size_t out = 0; out < 3; ++out) {
      float sum = loaded.key_bias.data()[out];
      for (std::size_t in = 0; in < 3; ++in) sum += x[row][in] * loaded.key_weight.data()[out * 3 + in];
      CHECK(sum == expected[row][out]);
    }
  }
}

TEST_CASE("case B28: a layer is found under the prefix that the file gives it") {
  const std::string path = HEADWISE_TEST_DATA "/cases/b28_prefix_module.safetensors";
  LoadOptions options = with_heads(1);
  for (const char* prefix : {"", "module.self_attn", "module.self_attn."}) {
    options.prefix = prefix;
    const AttentionWeights loaded = load_attention(path, options);
    CHECK(loaded.query_weight.data()[0] == 1.0f);
    CHECK(loaded.key_weight.data()[0] == 2.0f);
    CHECK(loaded.value_weight.data()[0] == 3.0f);
    CHECK(loaded.output_weight.data()[0] == 4.0f);
    CHECK(loaded.output_bias.data()[0] == 0.5f);
  }
}

TEST_CASE("files written by another program load to the numbers that it meant") {
  // Element n of every part, in the order query, key, value, output, is its own number; see make_fixtures.py.
  const std::string path = HEADWISE_TEST_DATA "/families.safetensors";
  const WeightFile file = WeightFile::open(path);
  const auto layers = find_attention_layers(file);
  CHECK(layers.size() == 10);
  for (const AttentionLayer& layer : layers) {
    CAPTURE(layer.prefix);
    LoadOptions options = with_heads(2);
    options.prefix = layer.prefix;
    options.family = layer.family.empty() ? "bloom" : layer.family;  // no name tells
    const AttentionWeights loaded = load_attention(file, options);
    for (int i = 0; i < 16; ++i) {
      REQUIRE(loaded.query_weight.data()[i] == static_cast<float>(i) / 8);
      REQUIRE(loaded.key_weight.data()[i] == static_cast<float>(16 + i) / 8);
      REQUIRE(loaded.value_weight.data()[i] == static_cast<float>(32 + i) / 8);
      REQUIRE(loaded.output_weight.data()[i] == static_cast<float>(48 + i) / 8);
    }
    for (int i = 0; i < 4; ++i) {
      CHECK(loaded.query_bias.data()[i] == -static_cast<float>(i) / 8);
      CHECK(loaded.key_bias.data()[i] == -static_cast<float>(4 + i) / 8);
      CHECK(loaded.value_bias.data()[i] == -static_cast<float>(8 + i) / 8);
      CHECK(loaded.output_bias.data()[i] == -static_cast<float>(12 + i) / 8);
    }
  }
}
