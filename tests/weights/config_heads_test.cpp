// The number of heads as the config.json of each kind of model tells it, by layer.
#include "expect_error.hpp"
#include "headwise/weights.hpp"
#include "stored_layer.hpp"
#include "temporary_folder.hpp"

using namespace headwise;

namespace {

constexpr std::int64_t unknown = 0;

AttentionWeights wide_layer() {
  AttentionConfig config;
  config.model_dim = 12;
  config.num_heads = 1;
  AttentionWeights layer = random_weights(config, 3);
  layer.query_bias = layer.key_bias = layer.value_bias = layer.output_bias = Tensor();
  return layer;
}

const std::vector<std::string> names{"q_proj", "k_proj", "v_proj", "out_proj"};
const std::vector<std::string> t5_names{"SelfAttention.q", "SelfAttention.k", "SelfAttention.v", "SelfAttention.o"};

std::int64_t heads(const std::string& prefix, const std::string& config,
                   const std::vector<std::string>& spelling = names) {
  const TemporaryFolder folder;
  folder.write("config.json", config);
  LoadOptions options;
  options.rotary = RotaryConfig{};
  options.position_bias = PositionBiasConfig{};
  const std::string path =
      folder.write("m.safetensors", safetensors_file(four_linears(wide_layer(), prefix, spelling)));
  const AttentionWeights loaded = load_attention(path, options);
  CHECK(find_attention_layers(WeightFile::open(path), options).front().widths.num_heads ==
        static_cast<std::uint64_t>(loaded.config.num_heads));
  return loaded.config.num_heads;
}

struct Case {
  const char* prefix;
  const char* config;
  std::int64_t expected;
};

void check(const Case& one) {
  CAPTURE(one.prefix);
  CAPTURE(one.config);
  if (one.expected != unknown) {
    CHECK(heads(one.prefix, one.config) == one.expected);
  } else {
    expect_error(ErrorCode::invalid_argument, {"number of heads is not known"}, [&] { heads(one.prefix, one.config); });
  }
}

}  // namespace

TEST_CASE("encoder and decoder of BART, mBART, Whisper have heads of their own") {
  constexpr auto bart = R"({"encoder_attention_heads": 4, "decoder_attention_heads": 6})";
  constexpr auto prophet = R"({"num_encoder_attention_heads": 4, "num_decoder_attention_heads": 6})";
  constexpr auto both = R"({"num_attention_heads": 2, "encoder_attention_heads": 4, "decoder_attention_heads": 6})";
  for (const char* config : {bart, prophet, both}) {
    check({"model.encoder.layers.0.self_attn.", config, 4});
    check({"model.decoder.layers.0.self_attn.", config, 6});
    check({"model.decoder.layers.0.encoder_attn.", config, 6});
    check({"decoder.layers.0.self_attn.", config, 6});
  }
  check({"layers.0.self_attn.", bart, unknown});
  check({"layers.0.self_attn.", both, 2});
  check({"my_encoder.layers.0.", bart, unknown});
  check({"layers.0.self_attn.", R"({"encoder_attention_heads": 4, "decoder_attention_heads": 4})", 4});
  check({"layers.0.self_attn.", R"({"encoder_attention_heads": 4})", 4});
  check({"model.decoder.layers.0.self_attn.", R"({"encoder_attention_heads": 4})", 4});
}

TEST_CASE("text and vision of CLIP, SigLIP and their like have heads of their own") {
  constexpr auto clip = R"({"text_config": {"num_attention_heads": 4}, "vision_config": {"num_attention_heads": 6}})";
  check({"text_model.encoder.layers.0.self_attn.", clip, 4});
  check({"vision_model.encoder.layers.0.self_attn.", clip, 6});
  check({"vision_tower.vision_model.encoder.layers.0.self_attn.", clip, 6});
  check({"model.language_model.layers.0.self_attn.", clip, 4});
  check({"layers.0.", clip, unknown});
  constexpr auto outer = R"({"num_attention_heads": 2, "vision_config": {"num_heads": 6}})";
  check({"visual.blocks.0.attn.", outer, 6});
  check({"model.layers.0.self_attn.", outer, 2});
  constexpr auto silent = R"({"num_attention_heads": 2, "vision_config": {"hidden_size": 12}})";
  check({"visual.blocks.0.attn.", silent, unknown});
  check({"model.layers.0.self_attn.", silent, 2});
  constexpr auto audio = R"({"num_attention_heads": 2, "audio_config": {"encoder_attention_heads": 6}})";
  check({"audio_tower.layers.0.self_attn.", audio, 6});
  check({"language_model.layers.0.", R"({"llm_config": {"num_attention_heads": 3}})", 3});
}

TEST_CASE("one number for all layers: GPT-2, BLOOM, Falcon, MPT, GPT-Neo, BERT") {
  for (const char* config :
       {R"({"n_head": 3})", R"({"n_heads": 3, "attn_config": {"alibi": false}})", R"({"num_attention_heads": 3})",
        R"({"num_heads": 3})", R"({"n_head": 3, "text_config": {"num_attention_heads": 4}})"}) {
    for (const char* prefix : {"h.0.attn.", "encoder.layers.0.", "model.decoder.layers.0."}) check({prefix, config, 3});
  }
}

TEST_CASE("the heads of T5 must be of the size that its config says") {
  constexpr auto prefix = "encoder.block.1.layer.0.";
  CHECK(heads(prefix, R"({"num_heads": 3, "d_kv": 4})", t5_names) == 3);
  CHECK(heads(prefix, R"({"num_heads": 6})", t5_names) == 6);
  expect_error(ErrorCode::bad_file, {"config.json", "d_kv is 4", "make it 2"},
               [&] { heads(prefix, R"({"num_heads": 6, "d_kv": 4})", t5_names); });
}

TEST_CASE("numbers of another part are not held against a layer") {
  constexpr auto config = R"({"num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 3,
      "vision_config": {"num_heads": 6, "num_key_value_heads": 6, "head_dim": 2}})";
  CHECK(heads("visual.blocks.0.attn.", config) == 6);
  expect_error(ErrorCode::bad_file, {"num_key_value_heads is 2"}, [&] { heads("model.layers.0.attn.", config); });
}

TEST_CASE("a hostile part of a config never does more than fail") {
  for (const char* value : {"0", "-1", "1.5", "\"4\"", "true", "[4]", "{}", "18446744073709551616"}) {
    CAPTURE(value);
    const std::string number = value;
    expect_error(ErrorCode::bad_file, {"config.json", "no positive integer"},
                 [&] { heads("model.encoder.layers.0.", "{\"encoder_attention_heads\": " + number + "}"); });
    expect_error(ErrorCode::bad_file, {"config.json", "no positive integer"},
                 [&] { heads("vision_model.", R"({"vision_config": {"num_heads": )" + number + "}}"); });
  }
  expect_error(ErrorCode::bad_file, {"vision_config is no object"},
               [] { heads("vision_model.", R"({"num_heads": 2, "vision_config": [{"num_heads": 6}]})"); });
  expect_error(ErrorCode::bad_file, {"duplicate key 'vision_config'"},
               [] { heads("vision_model.", R"({"vision_config": {"num_heads": 6}, "vision_config": {}})"); });
  expect_error(ErrorCode::bad_file, {"duplicate key 'num_heads'"},
               [] { heads("vision_model.", R"({"vision_config": {"num_heads": 6, "num_heads": 6}})"); });
  check({"vision_model.", R"({"vision_config": {"inner": {"num_heads": 6}}})", unknown});
}

TEST_CASE("a part may have as many other entries as it likes") {
  std::string entries;
  for (int i = 0; i < 1000; ++i) entries += "\"entry_" + std::to_string(i) + "\": 1, ";
  CHECK(heads("vision_model.", "{\"vision_config\": {" + entries + "\"num_attention_heads\": 6}}") == 6);
}
