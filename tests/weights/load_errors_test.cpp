#include "expect_error.hpp"
#include "headwise/weights.hpp"
#include "stored_layer.hpp"
#include "temporary_folder.hpp"

using namespace headwise;

namespace {

LoadOptions with_heads(std::int64_t heads) {
  LoadOptions options;
  options.num_heads = heads;
  return options;
}

const std::vector<std::string> classic{"w_q", "w_k", "w_v", "w_o"};

void refused(ErrorCode code, const std::vector<std::string>& words, const std::vector<NamedTensor>& tensors,
             const LoadOptions& options) {
  const TemporaryFolder folder;
  const std::string path = folder.write("m.safetensors", safetensors_file(tensors));
  expect_error(code, words, [&] { load_attention(path, options); });
}

// The stored layer with one tensor replaced.
std::vector<NamedTensor> replaced(std::vector<NamedTensor> tensors, const std::string& name, const Tensor& tensor) {
  for (NamedTensor& named : tensors) {
    if (named.name == name) named.tensor = tensor;
  }
  return tensors;
}

std::vector<NamedTensor> without(const std::vector<NamedTensor>& tensors, const std::string& name) {
  std::vector<NamedTensor> rest;
  for (const NamedTensor& named : tensors) {
    if (named.name != name) rest.push_back(named);
  }
  return rest;
}

}  // namespace

TEST_CASE("the number of heads must be known, positive and a divisor") {
  const auto tensors = torch_packed(square_layer(), "");
  refused(ErrorCode::invalid_argument, {"num_heads", "config.json"}, tensors, {});
  refused(ErrorCode::invalid_argument, {"num_heads", "-1"}, tensors, with_heads(-1));
  refused(ErrorCode::invalid_argument, {"6", "4 heads"}, tensors, with_heads(4));
}

TEST_CASE("heads must divide the width of the value too") {
  AttentionConfig config;
  config.model_dim = 6;
  config.num_heads = 1;
  config.head_dim = 6;
  config.value_dim = 4;
  const auto tensors = four_linears(random_weights(config, 1), "", classic);
  refused(ErrorCode::invalid_argument, {"value", "4", "3 heads"}, tensors, with_heads(3));
}

TEST_CASE("shapes that do not fit name both") {
  const auto linear = four_linears(square_layer(), "a.", classic);
  const auto check = [&](const std::string& name, const Tensor& tensor, const std::vector<std::string>& shapes) {
    std::vector<std::string> words{"'a." + name + "'"};
    words.insert(words.end(), shapes.begin(), shapes.end());
    refused(ErrorCode::bad_file, words, replaced(linear, "a." + name, tensor), with_heads(3));
  };
  check("w_k.weight", Tensor({5, 6}), {"key_weight", "expected shape [6, 6]", "found shape [5, 6]"});
  check("w_o.weight", Tensor({6, 5}), {"output_weight", "expected shape [6, 6]", "found shape [6, 5]"});
  // What the value's rows say, the output must take: it is the output that is named.
  refused(ErrorCode::bad_file, {"'a.w_o.weight' (output_weight)", "[6, 3]", "[6, 6]"},
          replaced(linear, "a.w_v.weight", Tensor({3, 6})), with_heads(3));
  check("w_q.bias", Tensor({5}), {"query_bias", "[6]", "[5]"});
  check("w_o.bias", Tensor({7}), {"output_bias", "[6]", "[7]"});
  check("w_q.weight", Tensor({6, 6, 1}), {"two sizes", "[6, 6, 1]"});
  check("w_q.weight", Tensor({36}), {"two sizes", "[36]"});
  check("w_q.weight", Tensor({0, 6}), {"neither zero", "[0, 6]"});
  check("w_k.bias", Tensor({6, 1}), {"one size", "[6, 1]"});
  check("w_k.bias", Tensor(Dims{}), {"one size", "[]"});
}

namespace {

void check_torch_shape(const std::string& name, const Tensor& tensor, const std::vector<std::string>& words) {
  refused(ErrorCode::bad_file, words, replaced(torch_packed(square_layer(), ""), name, tensor), with_heads(3));
}

}  // namespace

TEST_CASE("a fused weight has three times as many rows as columns") {
  check_torch_shape("in_proj_weight", Tensor({17, 6}), {"in_proj_weight", "[18, 6]", "[17, 6]"});
  check_torch_shape("in_proj_weight", Tensor({6, 18}), {"in_proj_weight", "[18, 18]", "[6, 18]"});
  check_torch_shape("in_proj_bias", Tensor({6}), {"in_proj_bias", "[18]", "[6]"});
}

TEST_CASE("weights of another type than a float are refused") {
  for (const DType dtype : {DType::i8, DType::i64, DType::boolean}) {
    refused(ErrorCode::unsupported, {"'w_q.weight'", "dtype"},
            replaced(four_linears(square_layer(), "", classic), "w_q.weight", Tensor(dtype, {6, 6})), with_heads(3));
  }
}

TEST_CASE("some biases but not all is an error that names the missing ones") {
  AttentionWeights layer = square_layer();
  layer.key_bias = Tensor();
  layer.output_bias = Tensor();
  LoadOptions options = with_heads(3);
  const auto tensors = four_linears(layer, "a.", classic);
  refused(ErrorCode::bad_file, {"missing: 'a.w_k.bias', 'a.w_o.bias'", "allow_missing_bias"}, tensors, options);
  refused(ErrorCode::bad_file, {"'in_proj_bias'"}, without(torch_packed(square_layer(), ""), "in_proj_bias"), options);
  const TemporaryFolder folder;
  options.allow_missing_bias = true;
  const auto loaded = load_attention(folder.write("m.safetensors", safetensors_file(tensors)), options);
  CHECK(loaded.query_bias.given());
  CHECK(!loaded.key_bias.given());
  CHECK(!loaded.output_bias.given());
}

TEST_CASE("case B28: a missing bias is an error unless it is allowed") {
  const std::string path = HEADWISE_TEST_DATA "/cases/b28_missing_out_bias.safetensors";
  LoadOptions options = with_heads(1);
  expect_error(ErrorCode::bad_file, {"'self_attn.out_proj.bias'"}, [&] { load_attention(path, options); });
  options.allow_missing_bias = true;
  CHECK(!load_attention(path, options).output_bias.given());
}

TEST_CASE("case B28: a wrong prefix lists the missing names, what is near them and what is there") {
  const std::string path = HEADWISE_TEST_DATA "/cases/b28_prefix_module.safetensors";
  LoadOptions options = with_heads(1);
  options.prefix = "self_attn.";
  expect_error(ErrorCode::invalid_argument,
               {"no attention layer", "'self_attn.in_proj_weight'", "near: 'module.self_attn.in_proj_weight'",
                "'self_attn.out_proj.weight'", "found are the prefixes 'module.self_attn.' (torch_mha)"},
               [&] { load_attention(path, options); });
  options.prefix = "module.self_att";
  expect_error(ErrorCode::invalid_argument, {"module.self_attn."}, [&] { load_attention(path, options); });
}

TEST_CASE("an incomplete layer lists what is missing") {
  const auto tensors = without(four_linears(square_layer(), "a.", classic), "a.w_v.weight");
  refused(ErrorCode::bad_file, {"no attention layer", "missing for linear4: 'a.w_v.weight'"}, tensors, with_heads(3));
  auto misspelt = four_linears(square_layer(), "a.", classic);
  misspelt[2].name = "a.w_K.weight";
  refused(ErrorCode::bad_file, {"'a.w_k.weight' (near: 'a.w_K.weight'"}, misspelt, with_heads(3));
}

TEST_CASE("case B10: a file without tensors says which names would make a layer") {
  for (const char* name : {"b10_no_tensors", "b10_only_metadata"}) {
    const std::string path = std::string(HEADWISE_TEST_DATA "/cases/") + name + ".safetensors";
    expect_error(ErrorCode::bad_file, {"no attention layer", "w_q.weight", "in_proj_weight", "self.query.weight", name},
                 [&] { load_attention(path, with_heads(1)); });
  }
}

TEST_CASE("layers and families that are not there are refused") {
  const auto tensors = torch_packed(square_layer(), "");
  LoadOptions options = with_heads(3);
  options.layer = 1;
  refused(ErrorCode::invalid_argument, {"no layer 1", "there are 1"}, tensors, options);
  options.layer = -1;
  refused(ErrorCode::invalid_argument, {"no layer -1"}, tensors, options);
  options.layer = 0;
  options.family = "bert";
  refused(ErrorCode::invalid_argument, {"family bert", "torch_mha"}, tensors, options);
  options.family = "nonsense";
  refused(ErrorCode::invalid_argument, {"'nonsense'", "linear4", "bert"}, tensors, options);
}

TEST_CASE("tensors that would change the result are never ignored") {
  for (const char* name : {"q_norm.weight", "k_norm.weight", "q_norm.bias", "norm_q.weight", "sinks",
                           "rotary_emb.inv_freq", "pos_key_proj.weight"}) {
    auto tensors = torch_packed(square_layer(), "self_attn.");
    tensors.push_back({std::string("self_attn.") + name, Tensor({1, 1, 6})});
    refused(ErrorCode::unsupported, {"'self_attn." + std::string(name) + "'"}, tensors, with_heads(3));
  }
}

TEST_CASE("one of two tensors that belong together is not enough") {
  const auto with = [](std::vector<NamedTensor> tensors, const std::string& name, const Dims& shape) {
    tensors.push_back({"a." + name, Tensor(shape)});
    return tensors;
  };
  const auto packed = torch_packed(square_layer(), "a.");
  refused(ErrorCode::bad_file, {"belong together", "missing: 'a.bias_v'"}, with(packed, "bias_k", {1, 1, 6}),
          with_heads(3));
  refused(ErrorCode::bad_file, {"missing: 'a.bias_k'"}, with(packed, "bias_v", {1, 1, 6}), with_heads(3));
  const auto linear = four_linears(square_layer(), "a.", classic);
  refused(ErrorCode::bad_file, {"missing: 'a.k_norm.weight'"}, with(linear, "q_norm.weight", {2}), with_heads(3));
}

TEST_CASE("the shapes of extra parts are checked") {
  const auto wrong = [](std::vector<NamedTensor> tensors, const std::string& name, const Dims& shape,
                        const std::vector<std::string>& words) {
    tensors.push_back({name, Tensor(shape)});
    refused(ErrorCode::bad_file, words, tensors, with_heads(3));
  };
  const auto packed = torch_packed(square_layer(), ""), linear = four_linears(square_layer(), "", classic);
  wrong(packed, "bias_k", {6}, {"'bias_k' (bias_key)", "three sizes", "[6]"});
  wrong(packed, "bias_k", {1, 1, 5}, {"'bias_k' (bias_key)", "[1, 1, 6]", "[1, 1, 5]"});
  wrong(packed, "bias_v", {1, 6, 1}, {"'bias_v' (bias_value)", "[1, 1, 6]", "[1, 6, 1]"});
  wrong(linear, "q_norm.weight", {6}, {"'q_norm.weight' (query_norm)", "[2]", "[6]"});
  wrong(linear, "k_norm.weight", {1, 2}, {"'k_norm.weight' (key_norm)", "one size", "[1, 2]"});
  wrong(linear, "sinks", {2}, {"'sinks' (sinks)", "[3]", "[2]"});
}

TEST_CASE("keys of fewer heads must divide the heads, and only where a family has them") {
  AttentionConfig config;
  config.model_dim = 8;
  config.num_heads = 4;
  config.num_kv_heads = 2;
  const AttentionWeights layer = random_weights(config, 3);
  const auto linear = four_linears(layer, "", classic);
  const Tensor three({6, 8}), one_and_a_half({3, 8});
  for (const Tensor& keys : {three, one_and_a_half}) {
    refused(ErrorCode::bad_file, {"'w_k.weight' (key_weight)", "[8, 8]", "2 rows for each of fewer heads"},
            replaced(linear, "w_k.weight", keys), with_heads(4));
  }
  refused(ErrorCode::bad_file, {"'w_o.weight' (output_weight)", "[8, 16]", "[8, 8]"},
          replaced(without(linear, "w_v.bias"), "w_v.weight", Tensor({8, 8})), with_heads(4));
  refused(ErrorCode::bad_file, {"'self.key.weight' (key_weight)", "[8, 8]", "[4, 8]"},
          four_linears(layer, "", {"self.query", "self.key", "self.value", "output.dense"}), with_heads(4));
}

TEST_CASE("an error leaves the library usable") {
  const TemporaryFolder folder;
  const std::string bad = HEADWISE_TEST_DATA "/cases/b08_f64_len_mismatch.safetensors";
  expect_error(ErrorCode::bad_file, {"b08"}, [&] { load_attention(bad, with_heads(3)); });
  const std::string good = folder.write("m.safetensors", safetensors_file(torch_packed(square_layer(), "")));
  CHECK(load_attention(good, with_heads(3)).query_weight.given());
}
