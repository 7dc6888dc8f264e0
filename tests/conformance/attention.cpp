#include <optional>

#include "operations.hpp"

namespace headwise::conformance {
namespace {

BooleanMask mask_meaning(const Json& call, const char* name) {
  const std::string text = call.value(name, "");
  if (text.empty()) return BooleanMask::unspecified;
  return text == "keep" ? BooleanMask::keep : BooleanMask::drop;
}

CausalAlignment alignment(const std::string& name) {
  if (name.empty()) return CausalAlignment::unspecified;
  return name == "upper_left" ? CausalAlignment::upper_left : CausalAlignment::lower_right;
}

// Attention alone; sizes that the call leaves out are derived.
MultiHeadAttention make_bare(const Json& options) {
  AttentionConfig config;
  config.num_heads = options.at("num_heads");
  config.num_kv_heads = options.value("num_kv_heads", std::int64_t{0});
  config.head_dim = options.at("head_dim");
  config.value_dim = options.value("value_dim", std::int64_t{0});
  if (options.contains("scale")) config.scale = options.at("scale").get<float>();
  config.softcap = options.value("softcap", 0.0F);
  return MultiHeadAttention::without_projections(config);
}

// A torch layer whose weights lie in the case file under torch's own names.
MultiHeadAttention make_layer(const Case& test, const Json& options) {
  LoadOptions load;
  load.prefix = options.at("prefix");
  load.num_heads = options.at("num_heads");
  load.add_zero_attention = options.at("add_zero_attention");
  return MultiHeadAttention(load_attention(test.file(), load));
}

MultiHeadAttention make_attention(const Case& test) {
  const Json& call = test.call();
  return call.contains("layer") ? make_layer(test, call.at("layer")) : make_bare(call.at("config"));
}

AttentionInputs read_inputs(Case& test) {
  const Json& call = test.call();
  AttentionInputs inputs;
  inputs.query = test.input("query");
  inputs.key = test.input("key");
  inputs.value = test.input("value");
  inputs.attention_mask = test.input("attention_mask");
  inputs.attention_mask_meaning = mask_meaning(call, "attention_mask_meaning");
  inputs.key_padding_mask = test.input("key_padding_mask");
  inputs.key_padding_meaning = mask_meaning(call, "key_padding_meaning");
  inputs.key_lengths = test.input("key_lengths");
  inputs.causal = call.value("causal", false);
  inputs.causal_alignment = alignment(call.value("causal_alignment", ""));
  if (call.contains("window")) inputs.window = {call.at("window").at(0), call.at("window").at(1)};
  return inputs;
}

AttentionOutputs read_outputs(Case& test) {
  const std::string stage = test.call().value("score_stage", "scaled");
  AttentionOutputs outputs;
  outputs.output = test.output("output");
  outputs.attention = test.output("attention");
  outputs.average_attention = test.output("average_attention");
  outputs.scores = test.output("scores");
  outputs.score_stage = stage == "masked"   ? ScoreStage::masked
                        : stage == "capped" ? ScoreStage::capped
                                            : ScoreStage::scaled;
  return outputs;
}

// A cache that holds the past and has room for exactly the new tokens.
std::optional<KvCache> make_cache(Case& test, const AttentionConfig& config, const TensorView& key) {
  if (!test.call().contains("cache")) return {};
  KvCacheOptions options;
  options.batch = key.shape[0];
  options.capacity = test.call().at("cache").at("capacity");
  options.dtype = key.dtype;
  KvCache cache(config, options);
  const TensorView past = test.input("past_key");
  if (past.given) cache.append(past, test.input("past_value"));
  return cache;
}

}  // namespace

void run_attention(Case& test) {
  const MultiHeadAttention attention = make_attention(test);
  AttentionInputs inputs = read_inputs(test);
  const AttentionOutputs outputs = read_outputs(test);
  std::optional<KvCache> cache = make_cache(test, attention.config(), inputs.key);
  if (cache) inputs.cache = &*cache;
  Session(attention).run(inputs, outputs);
  if (!cache) return;
  test.add_result("present_key", convert(cache->keys(), cache->dtype()));
  test.add_result("present_value", convert(cache->values(), cache->dtype()));
}

}  // namespace headwise::conformance
