#include <cmath>

#include "expect_error.hpp"
#include "headwise/weights.hpp"
#include "same_weights.hpp"
#include "stored_layer.hpp"
#include "temporary_folder.hpp"

using namespace headwise;

namespace {

AttentionWeights llama_layer() {
  AttentionConfig config;
  config.model_dim = 12;
  config.num_heads = 4;
  config.num_kv_heads = 2;
  config.head_dim = 8;
  AttentionWeights layer = random_weights(config, 41);
  layer.query_bias = layer.key_bias = layer.value_bias = layer.output_bias = Tensor();
  return layer;
}

std::vector<NamedTensor> llama_tensors(const AttentionWeights& layer = llama_layer()) {
  return four_linears(layer, "model.layers.0.self_attn.", {"q_proj", "k_proj", "v_proj", "o_proj"});
}

// A folder with a model whose config.json holds these entries beside four heads.
AttentionWeights load(const std::string& entries, const LoadOptions& options = {},
                      const std::vector<NamedTensor>& tensors = llama_tensors()) {
  const TemporaryFolder folder;
  folder.write("config.json", "{\"num_attention_heads\": 4" + (entries.empty() ? "" : ", " + entries) + "}");
  return load_attention(folder.write("m.safetensors", safetensors_file(tensors)), options);
}

void refused(ErrorCode code, const std::vector<std::string>& words, const std::string& entries) {
  CAPTURE(entries);
  std::vector<std::string> all = words;
  all.push_back("config.json");
  expect_error(code, all, [&] { load(entries); });
}

const std::string llama = "\"model_type\": \"llama\", \"rope_theta\": 500000.0";

}  // namespace

TEST_CASE("a Llama folder loads right without options") {
  const AttentionWeights loaded = load(llama + R"(, "num_key_value_heads": 2, "head_dim": 8, "rms_norm_eps": 1e-5,
      "rope_scaling": {"factor": 32.0, "high_freq_factor": 4.5, "low_freq_factor": 1.5,
      "original_max_position_embeddings": 8192, "rope_type": "llama3"}, "max_position_embeddings": 131072)");
  check_same(loaded, llama_layer());
  const AttentionConfig& config = loaded.config;
  CHECK(config.num_kv_heads == 2);
  CHECK(config.scale == static_cast<float>(1 / std::sqrt(8.0)));
  CHECK(config.norm_epsilon == 1e-5F);
  CHECK(config.rotary.dim == 8);
  CHECK(config.rotary.layout == RotaryLayout::half_split);
  CHECK(config.rotary.base == 500000);
  CHECK(config.rotary.scaling == RotaryScaling::llama3);
  CHECK(config.rotary.factor == 32);
  CHECK(config.rotary.low_frequency_factor == 1.5);
  CHECK(config.rotary.high_frequency_factor == 4.5);
  CHECK(config.rotary.original_positions == 8192);
}

TEST_CASE("old and new spellings of the same rotary embedding") {
  CHECK(load("\"model_type\": \"llama\"").config.rotary.base == 10000);  // Llama 2 does not say it
  CHECK(load("\"rope_theta\": 20000").config.rotary.base == 20000);      // no name: as Llama
  const auto linear = load(llama + R"(, "rope_scaling": {"type": "linear", "factor": 2})").config.rotary;
  CHECK(linear.scaling == RotaryScaling::linear);
  CHECK(linear.factor == 2);
  const auto plain =
      load(R"("model_type": "qwen3", "rope_parameters": {"rope_type": "default", "rope_theta": 7e6})").config.rotary;
  CHECK(plain.scaling == RotaryScaling::none);
  CHECK(plain.base == 7e6);
  CHECK(load(llama + R"(, "rope_scaling": null, "head_dim": null)").config.rotary.scaling == RotaryScaling::none);
}

TEST_CASE("yarn takes the length that it extends from either place") {
  const std::string yarn = llama + R"(, "max_position_embeddings": 4096, "rope_scaling": {"rope_type": "yarn",
      "factor": 4)";
  const auto short_form = load(yarn + "}").config.rotary;
  CHECK(short_form.scaling == RotaryScaling::yarn);
  CHECK(short_form.original_positions == 4096);
  CHECK(short_form.beta_fast == 32);
  CHECK(short_form.attention_factor == 0);
  const auto long_form = load(yarn + R"(, "original_max_position_embeddings": 2048, "beta_fast": 16, "beta_slow": 2,
      "attention_factor": 1.25, "finetuned": true})")
                             .config.rotary;
  CHECK(long_form.original_positions == 2048);
  CHECK(long_form.beta_fast == 16);
  CHECK(long_form.beta_slow == 2);
  CHECK(long_form.attention_factor == 1.25);
}

TEST_CASE("part of a head turns, and some models interleave") {
  CHECK(load(llama + ", \"partial_rotary_factor\": 0.5").config.rotary.dim == 4);
  const auto gptj = load(R"("model_type": "gptj", "rotary_dim": 6)").config.rotary;
  CHECK(gptj.dim == 6);
  CHECK(gptj.layout == RotaryLayout::interleaved);
  refused(ErrorCode::bad_file, {"rotary embedding of 10"}, R"("model_type": "gptj", "rotary_dim": 10)");
  refused(ErrorCode::bad_file, {"rotary embedding of 3"}, R"("model_type": "gptj", "rotary_dim": 3)");
  refused(ErrorCode::bad_file, {"rotary embedding of 0"}, llama + ", \"partial_rotary_factor\": 0.01");
  refused(ErrorCode::bad_file, {"partial_rotary_factor"}, llama + ", \"partial_rotary_factor\": 1e300");
}

TEST_CASE("scale and softcap of Gemma 2, scale of Granite and GPT-Neo") {
  const AttentionConfig gemma = load(R"("model_type": "gemma2", "rope_theta": 10000.0, "query_pre_attn_scalar": 256,
      "attn_logit_softcapping": 50.0)")
                                    .config;
  CHECK(gemma.scale == 0.0625F);
  CHECK(gemma.softcap == 50);
  CHECK(load(R"("model_type": "granite", "rope_theta": 1, "attention_multiplier": 0.0078125)").config.scale ==
        0.0078125F);
  CHECK(load("\"model_type\": \"gpt_neo\"").config.scale == 1.0F);
  CHECK(load(R"("attn_logit_softcapping": null)").config.softcap == 0);
}

TEST_CASE("options win over config.json") {
  LoadOptions options;
  options.scale = 0.5F;
  options.softcap = 0.0F;
  options.norm_epsilon = 0.25F;
  options.rotary = RotaryConfig{};
  const AttentionConfig config = load(R"("model_type": "gemma2", "rope_theta": "wrong", "query_pre_attn_scalar": 0,
      "attn_logit_softcapping": 50.0, "rms_norm_eps": 1e-5)",
                                      options)
                                     .config;
  CHECK(config.scale == 0.5F);
  CHECK(config.softcap == 0);
  CHECK(config.norm_epsilon == 0.25F);
  CHECK(config.rotary.dim == 0);
}

TEST_CASE("config.json can be left out of it") {
  LoadOptions options;
  options.use_model_config = false;
  expect_error(ErrorCode::invalid_argument, {"num_heads", "config.json is not to be used"},
               [&] { load(llama, options); });
  options.num_heads = 4;
  CHECK(load(llama, options).config.rotary.dim == 0);
}

TEST_CASE("positions that are not known are refused unless they are given") {
  const auto unknown = [](const std::vector<std::string>& words, const std::string& entries) {
    refused(ErrorCode::unsupported, words, entries);
    LoadOptions options;
    options.rotary = RotaryConfig{};
    CHECK_NOTHROW(load(entries, options));
  };
  unknown({"'novel'", "LoadOptions::rotary"}, R"("model_type": "novel", "rope_theta": 10000)");
  unknown({"'gemma3_text'"}, R"("model_type": "gemma3_text", "rope_theta": 10000, "rope_local_base_freq": 1)");
  unknown({"'novel'"}, R"("model_type": "novel", "position_embedding_type": "rotary")");
  for (const std::string object : {"text_config", "llm_config", "language_config"}) {
    unknown({"'novel'"}, R"("model_type": "novel", ")" + object + R"(": {"hidden_size": 8, "rope_theta": 10000})");
  }
  unknown({"'dynamic'"}, llama + R"(, "rope_scaling": {"type": "dynamic", "factor": 2})");
  unknown({"'truncate'"}, llama + R"(, "rope_scaling": {"rope_type": "yarn", "factor": 2, "truncate": false})");
  unknown({"'full_attention'"}, llama + R"(, "rope_parameters": {"full_attention": {"rope_theta": 1}})");
  CHECK(load(R"("model_type": "novel", "position_embedding_type": "absolute")").config.rotary.dim == 0);
}

TEST_CASE("biases that a model does not have are not missing") {
  AttentionWeights layer = llama_layer();
  layer.query_bias = Tensor({32});
  layer.key_bias = layer.value_bias = Tensor({16});
  const auto tensors = llama_tensors(layer);
  check_same(load(R"("model_type": "qwen2", "rope_theta": 1e6)", {}, tensors), layer);
  expect_error(ErrorCode::bad_file, {"missing", "o_proj.bias"}, [&] { load(llama, {}, tensors); });
}

TEST_CASE("Gemma's norms are stored less one") {
  auto tensors = llama_tensors();
  for (const char* name : {"q_norm.weight", "k_norm.weight"}) {
    tensors.push_back({"model.layers.0.self_attn." + std::string(name), Tensor({8})});
  }
  LoadOptions options;
  options.rotary = RotaryConfig{};
  CHECK(load("\"model_type\": \"gemma3_text\"", options, tensors).key_norm.data()[7] == 1.0F);
  CHECK(load("\"model_type\": \"qwen3\"", options, tensors).key_norm.data()[7] == 0.0F);
  options.norm_plus_one = false;
  CHECK(load("\"model_type\": \"gemma3_text\"", options, tensors).key_norm.data()[7] == 0.0F);
}

TEST_CASE("T5 takes its distances from config.json and checks its buckets") {
  const auto load_t5 = [](const std::string& entries) {
    const TemporaryFolder folder;
    folder.write("config.json", "{\"num_heads\": 2, " + entries + "}");
    std::ifstream stored(HEADWISE_TEST_DATA "/extras.safetensors", std::ios::binary);
    LoadOptions options;
    options.family = "t5";
    return load_attention(folder.write("m.safetensors", std::string(std::istreambuf_iterator<char>(stored), {})),
                          options);
  };
  CHECK(load_t5("\"relative_attention_max_distance\": 64").config.position_bias.max_distance == 64);
  CHECK(load_t5("\"relative_attention_num_buckets\": 8").config.position_bias.max_distance == 128);
  expect_error(ErrorCode::bad_file, {"relative_attention_num_buckets is 32", "has 8"},
               [&] { load_t5("\"relative_attention_num_buckets\": 32"); });
  expect_error(ErrorCode::bad_file, {"relative_attention_max_distance"},
               [&] { load_t5("\"relative_attention_max_distance\": -1"); });
  expect_error(ErrorCode::bad_file, {"config.json", "max_distance 2"},
               [&] { load_t5("\"relative_attention_max_distance\": 2"); });
}

TEST_CASE("a config of another layer is noticed") {
  refused(ErrorCode::bad_file, {"num_key_value_heads is 4", "make it 2"}, llama + ", \"num_key_value_heads\": 4");
  refused(ErrorCode::bad_file, {"head_dim is 4", "make it 8"}, llama + ", \"head_dim\": 4");
}

TEST_CASE("a hostile config never does more than fail") {
  for (const char* value : {"0", "-1", "\"1\"", "true", "[1]", "{}", "-0.0"}) {
    const std::string number = value;
    refused(ErrorCode::bad_file, {"rope_theta"}, "\"rope_theta\": " + number);
    refused(ErrorCode::bad_file, {"attn_logit_softcapping"}, llama + ", \"attn_logit_softcapping\": " + number);
    refused(ErrorCode::bad_file, {"query_pre_attn_scalar"}, llama + ", \"query_pre_attn_scalar\": " + number);
    refused(ErrorCode::bad_file, {"factor"},
            llama + R"(, "rope_scaling": {"type": "linear", "factor": )" + number + "}");
  }
  refused(ErrorCode::bad_file, {"no object"}, llama + ", \"rope_scaling\": \"linear\"");
  refused(ErrorCode::bad_file, {"no object"}, llama + ", \"rope_parameters\": [{\"factor\": 2}]");
  refused(ErrorCode::bad_file, {"model_type"}, "\"model_type\": 3, \"rope_theta\": 1");
  refused(ErrorCode::bad_file, {"duplicate", "rope_theta"}, llama + ", \"rope_theta\": 1");
  refused(ErrorCode::bad_file, {"duplicate", "rope_scaling"}, llama + R"(, "rope_scaling": {}, "rope_scaling": {})");
  refused(ErrorCode::bad_file, {"duplicate", "factor"},
          llama + R"(, "rope_scaling": {"type": "linear", "factor": 1, "factor": 2})");
  refused(ErrorCode::bad_file, {"lacks factor"}, llama + R"(, "rope_scaling": {"type": "yarn"})");
  refused(ErrorCode::bad_file, {"lacks rope_theta"}, "\"model_type\": \"mistral\"");
  refused(ErrorCode::bad_file, {"lacks original_max_position_embeddings"},
          llama + R"(, "rope_scaling": {"rope_type": "llama3", "factor": 2})");
  std::string many = llama + ", \"rope_scaling\": {";
  for (int i = 0; i < 1000; ++i) many += "\"k" + std::to_string(i) + "\": 1, ";
  refused(ErrorCode::bad_file, {"not a valid JSON object"}, many + "\"z\": 1}");
}

TEST_CASE("numbers that a float cannot hold are refused, not rounded to infinity or zero") {
  for (const char* key : {"attn_logit_softcapping", "rms_norm_eps", "attention_multiplier"}) {
    for (const char* value : {"1e300", "1e-300"}) {
      refused(ErrorCode::bad_file, {key}, llama + ", \"" + key + "\": " + value);
    }
  }
}

TEST_CASE("models with ALiBi get it, and MPT says whether") {
  const PositionBiasConfig bloom = load("\"model_type\": \"bloom\"").config.position_bias;
  CHECK(bloom.kind == PositionBias::alibi);
  CHECK(bloom.slopes == AlibiSlopes::interleaved);
  CHECK(bloom.alibi_max == 8);
  const std::string mpt = "\"model_type\": \"mpt\"";
  CHECK(load(mpt).config.position_bias.kind == PositionBias::alibi);
  const AttentionConfig described =
      load(mpt + R"(, "attn_config": {"alibi": true, "alibi_bias_max": 16, "softmax_scale": 0.25, "clip_qkv": null})")
          .config;
  CHECK(described.position_bias.alibi_max == 16);
  CHECK(described.scale == 0.25F);
  CHECK(load(mpt + R"(, "attn_config": {"alibi": false})").config.position_bias.kind == PositionBias::none);
  refused(ErrorCode::bad_file, {"alibi is neither true nor false"}, mpt + R"(, "attn_config": {"alibi": 1})");
  refused(ErrorCode::bad_file, {"attn_config is no object"}, mpt + R"(, "attn_config": "triton")");
  LoadOptions options;
  options.position_bias = PositionBiasConfig{};
  CHECK(load("\"model_type\": \"bloom\"", options).config.position_bias.kind == PositionBias::none);
}

TEST_CASE("projections that are cut off and Falcon's ALiBi are refused") {
  refused(ErrorCode::unsupported, {"clip_qkv"}, R"("model_type": "mpt", "attn_config": {"clip_qkv": 8})");
  refused(ErrorCode::unsupported, {"clip_qkv"}, "\"clip_qkv\": 6.0");
  refused(ErrorCode::unsupported, {"alibi", "LoadOptions::rotary"}, R"("model_type": "falcon", "alibi": true)");
  refused(ErrorCode::unsupported, {"alibi"}, R"("model_type": "unheard_of", "alibi": true)");
  CHECK(load(R"("model_type": "falcon", "alibi": false)").config.rotary.base == 10000);
}

TEST_CASE("GPT-2 may leave the scale out, or divide it by the layer") {
  const std::string gpt2 = "\"model_type\": \"gpt2\"";
  CHECK(load(gpt2).config.scale == static_cast<float>(1 / std::sqrt(8.0)));
  CHECK(load(gpt2 + ", \"scale_attn_weights\": false").config.scale == 1.0F);
  refused(ErrorCode::unsupported, {"scale_attn_by_inverse_layer_idx", "LoadOptions::scale"},
          gpt2 + ", \"scale_attn_by_inverse_layer_idx\": true");
  LoadOptions options;
  options.scale = 0.125F;
  CHECK(load(gpt2 + ", \"scale_attn_by_inverse_layer_idx\": true", options).config.scale == 0.125F);
}

TEST_CASE("GPT-NeoX and Nomic have words of their own for the rotary embedding") {
  const RotaryConfig neox =
      load(R"("model_type": "gpt_neox", "rotary_pct": 0.25, "rotary_emb_base": 5000)").config.rotary;
  CHECK(neox.dim == 2);
  CHECK(neox.base == 5000);
  CHECK(neox.layout == RotaryLayout::half_split);
  const RotaryConfig nomic = load(R"("model_type": "nomic_bert", "rotary_emb_base": 1000, "rotary_emb_fraction": 1.0,
      "rotary_emb_interleaved": true)")
                                 .config.rotary;
  CHECK(nomic.dim == 8);
  CHECK(nomic.base == 1000);
  CHECK(nomic.layout == RotaryLayout::interleaved);
}

TEST_CASE("Meta's own names turn neighbours, though config.json speaks of Llama") {
  const auto tensors = four_linears(llama_layer(), "layers.0.attention.", {"wq", "wk", "wv", "wo"});
  CHECK(load(llama, {}, tensors).config.rotary.layout == RotaryLayout::interleaved);
  LoadOptions options;
  options.rotary = RotaryConfig{8};
  CHECK(load(llama, options, tensors).config.rotary.layout == RotaryLayout::half_split);
}

TEST_CASE("a model's type decides between families, and its missing biases are known") {
  AttentionWeights layer = llama_layer();
  const Tensor both = stacked({&layer.key_weight, &layer.value_weight});
  const std::vector<NamedTensor> tensors{{"h.0.query_key_value.weight", stacked({&layer.query_weight, &both})},
                                         {"h.0.query_key_value.bias", Tensor({64})},
                                         {"h.0.dense.weight", layer.output_weight}};
  LoadOptions options;
  options.rotary = RotaryConfig{};
  const AttentionWeights loaded = load("\"model_type\": \"chatglm\"", options, tensors);
  CHECK(same(loaded.key_weight, layer.key_weight));
  CHECK(!loaded.output_bias.given());
  refused(ErrorCode::unsupported, {"'chatglm'", "LoadOptions::rotary"}, "\"model_type\": \"chatglm\"");
}
