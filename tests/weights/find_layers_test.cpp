#include <doctest/doctest.h>

#include "expect_error.hpp"
#include "headwise/weights.hpp"
#include "same_weights.hpp"
#include "stored_layer.hpp"
#include "temporary_folder.hpp"

using namespace headwise;

namespace {

AttentionWeights small_layer() {
  AttentionConfig config;
  config.model_dim = 4;
  config.num_heads = 2;
  return random_weights(config, 5);
}

std::vector<AttentionLayer> layers_of(const std::vector<NamedTensor>& tensors) {
  const TemporaryFolder folder;
  return find_attention_layers(WeightFile::open(folder.write("m.safetensors", safetensors_file(tensors))));
}

void append(std::vector<NamedTensor>& all, const std::vector<NamedTensor>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

const std::vector<std::string> bert_names{"self.query", "self.key", "self.value", "output.dense"};

}  // namespace

TEST_CASE("a layer that is there twice under a prefix is refused with both, and the family decides") {
  const AttentionWeights first = small_layer(), second = random_weights(first.config, 6);
  auto tensors = four_linears(first, "a.", bert_names);
  append(tensors, four_linears(second, "a.", {"q_lin", "k_lin", "v_lin", "out_lin"}));
  const TemporaryFolder folder;
  const std::string path = folder.write("m.safetensors", safetensors_file(tensors));
  LoadOptions options;
  options.num_heads = 2;
  for (const std::int64_t layer : {0, 1}) {
    options.layer = layer;
    expect_error(ErrorCode::invalid_argument,
                 {"'a.'", "'self.query.weight' as family bert", "'q_lin.weight' as family distilbert", "::family"},
                 [&] { load_attention(path, options); });
  }
  options.layer = 0;
  options.family = "bert";
  check_same(load_attention(path, options), first);
  options.family = "distilbert";
  check_same(load_attention(path, options), second);
}

TEST_CASE("two outputs of one family under a prefix are refused too, for only a map can choose") {
  auto tensors = four_linears(small_layer(), "a.", {"q_proj", "k_proj", "v_proj", "out_proj"});
  append(tensors, four_linears(small_layer(), "b.", {"q_proj", "k_proj", "v_proj", "o_proj"}));
  tensors.push_back({"a.o_proj.weight", Tensor({4, 4})});
  const TemporaryFolder folder;
  const std::string path = folder.write("m.safetensors", safetensors_file(tensors));
  LoadOptions options;
  options.num_heads = 2;
  expect_error(ErrorCode::invalid_argument, {"'a.'", "'out_proj.weight'", "'o_proj.weight'", "::name_map"},
               [&] { load_attention(path, options); });
  options.prefix = "b";
  CHECK(load_attention(path, options).config.model_dim == 4);
}

TEST_CASE("every spelling of four linear layers is recognised under any prefix") {
  const std::vector<std::string> spellings[] = {
      {"w_q", "w_k", "w_v", "w_o"},
      {"W_q", "W_k", "W_v", "W_o"},
      {"wq", "wk", "wv", "wo"},
      {"q_linear", "k_linear", "v_linear", "out"},
      {"q_linear", "k_linear", "v_linear", "out_linear"},
      {"q_linear", "k_linear", "v_linear", "o_linear"},
      {"fc_q", "fc_k", "fc_v", "fc_o"},
      {"query", "key", "value", "out"},
      {"query", "key", "value", "output"},
      {"query", "key", "value", "out_proj"},
      {"query", "key", "value", "o"},
      {"query", "key", "value", "dense"},
      {"to_q", "to_k", "to_v", "to_out.0"},
      {"to_q", "to_k", "to_v", "to_out"},
      {"q_proj", "k_proj", "v_proj", "out_proj"},
      {"q_proj", "k_proj", "v_proj", "o_proj"},
      {"linears.0", "linears.1", "linears.2", "linears.3"},
  };
  for (const auto& names : spellings) {
    for (const std::string prefix : {"", "module.", "encoder.layers.3.attn."}) {
      CAPTURE(names[0] + names[3]);
      const auto layers = layers_of(four_linears(small_layer(), prefix, names));
      REQUIRE(layers.size() == 1);
      CHECK(layers[0].family == "linear4");
      CHECK(layers[0].prefix == prefix);
      CHECK(layers[0].parts.size() == 8);
    }
  }
}

TEST_CASE("the torch and BERT families are recognised as themselves") {
  const auto packed = layers_of(torch_packed(small_layer(), "self_attn."));
  REQUIRE(packed.size() == 1);
  CHECK(packed[0].family == "torch_mha");
  CHECK(packed[0].prefix == "self_attn.");
  CHECK(packed[0].parts[0].role == "qkv_weight");
  CHECK(packed[0].parts[0].tensor == "self_attn.in_proj_weight");
  CHECK(packed[0].parts[0].shape == std::vector<std::uint64_t>{12, 4});
  const auto separate = layers_of(torch_separate(small_layer(), ""));
  REQUIRE(separate.size() == 1);
  CHECK(separate[0].family == "torch_mha_separate");
  for (const std::string prefix : {"", "bert.", "roberta.", "electra.", "module.bert."}) {
    const std::string layer = prefix + "encoder.layer.0.attention.";
    const auto bert = layers_of(four_linears(small_layer(), layer, bert_names));
    REQUIRE(bert.size() == 1);
    CHECK(bert[0].family == "bert");
    CHECK(bert[0].prefix == layer);
  }
}

TEST_CASE("T5's attention is recognised, with the table that all blocks of a stack share") {
  std::vector<NamedTensor> tensors;
  for (const char* prefix : {"decoder.block.0.layer.0.", "decoder.block.3.layer.0."}) {
    append(tensors, four_linears(small_layer(), std::string(prefix) + "SelfAttention.", {"q", "k", "v", "o"}));
  }
  append(tensors, four_linears(small_layer(), "decoder.block.3.layer.1.EncDecAttention.", {"q", "k", "v", "o"}));
  const std::string table = "decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight";
  tensors.push_back({table, Tensor({32, 2})});
  const auto layers = layers_of(tensors);
  REQUIRE(layers.size() == 3);
  for (const AttentionLayer& layer : layers) CHECK(layer.family == "t5");
  CHECK(layers[0].prefix == "decoder.block.0.layer.0.");
  CHECK(layers[1].prefix == "decoder.block.3.layer.0.");
  CHECK(layers[2].prefix == "decoder.block.3.layer.1.");
  for (const std::size_t i : {0u, 1u}) {
    CHECK(layers[i].parts.back().role == "relative_bias");
    CHECK(layers[i].parts.back().tensor == table);
  }
  CHECK(layers[2].parts.back().role == "output_bias");
}

TEST_CASE("layers are ordered by the numbers in their names, then by name") {
  std::vector<NamedTensor> tensors;
  const AttentionWeights layer = small_layer();
  for (const char* prefix :
       {"layers.10.attn.", "layers.2.attn.", "vision.layers.002.attn.", "layers.2.cross.", "attn."}) {
    append(tensors, four_linears(layer, prefix, {"w_q", "w_k", "w_v", "w_o"}));
  }
  const auto layers = layers_of(tensors);
  std::vector<std::string> prefixes;
  for (const AttentionLayer& found : layers) prefixes.push_back(found.prefix);
  CHECK(prefixes == std::vector<std::string>{"attn.", "layers.2.attn.", "layers.2.cross.", "vision.layers.002.attn.",
                                             "layers.10.attn."});
  for (std::size_t i = 0; i < layers.size(); ++i) CHECK(layers[i].index == static_cast<std::int64_t>(i));
}

TEST_CASE("numbers of any length are compared, not computed") {
  std::vector<NamedTensor> tensors;
  for (const char* prefix : {"l.99999999999999999999999999.", "l.9.", "l.100000000000000000000000000."}) {
    append(tensors, four_linears(small_layer(), prefix, {"w_q", "w_k", "w_v", "w_o"}));
  }
  const auto layers = layers_of(tensors);
  REQUIRE(layers.size() == 3);
  CHECK(layers[0].prefix == "l.9.");
  CHECK(layers[2].prefix == "l.100000000000000000000000000.");
}

TEST_CASE("names that only end alike make no layer") {
  CHECK(layers_of(four_linears(small_layer(), "new_", {"w_q", "w_k", "w_v", "w_o"})).empty());
  CHECK(layers_of(four_linears(small_layer(), "", {"w_q", "w_k", "w_v", "w_output"})).empty());
  auto scattered = four_linears(small_layer(), "a.", {"w_q", "w_k", "w_v", "w_o"});
  scattered[0].name = "b.w_q.weight";
  CHECK(layers_of(scattered).empty());
  CHECK(layers_of({}).empty());
}

TEST_CASE("a layer without biases has only its weights as parts") {
  AttentionWeights layer = small_layer();
  layer.query_bias = layer.key_bias = layer.value_bias = layer.output_bias = Tensor();
  CHECK(layers_of(four_linears(layer, "", {"W_q", "W_k", "W_v", "W_o"}))[0].parts.size() == 4);
  CHECK(layers_of(torch_packed(layer, ""))[0].parts.size() == 2);
}
