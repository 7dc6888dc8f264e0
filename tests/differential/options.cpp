// Which options a case uses.
#include "describe.hpp"

namespace differential {

using namespace headwise;

namespace {

using Options = std::vector<std::string>;

void add_layer_options(const Layer& layer, Options& all) {
  const AttentionWeights& w = layer.weights;
  const AttentionConfig& c = w.config;
  const auto add = [&](bool used, const std::string& name) {
    if (used) all.push_back(name);
  };
  add(layer.projected, "projections");
  add(c.num_heads != c.num_kv_heads, "grouped heads");
  add(c.value_dim != c.head_dim, "d differs from dv");
  add(layer.options.self_attention_only, "self_attention_only");
  add(c.key_input_dim + c.value_input_dim > 0, "kdim or vdim");
  add(c.scale.has_value(), "scale");
  add(c.softcap != 0, "softcap");
  add(w.sinks.given(), "sinks");
  add(w.query_norm.given() || w.key_norm.given(), "norm");
  add(w.bias_key.given(), "bias_key");
  add(c.add_zero_attention, "add_zero_attention");
  constexpr const char* scalings[] = {"", " linear", " ntk", " yarn", " llama3"};
  add(c.rotary.dim > 0, std::string("rotary") + scalings[int(c.rotary.scaling)]);
  add(c.rotary.dim > 0 && c.rotary.layout == RotaryLayout::interleaved, "rotary interleaved");
  add(c.position_bias.kind == PositionBias::alibi, "ALiBi");
  add(c.position_bias.kind == PositionBias::t5, "T5");
  add(w.alibi_slopes.given(), "given slopes");
}

void add_call_options(const Call& call, Options& all) {
  for (const InputName& name : input_names) {
    if ((call.inputs.*name.view).given) all.push_back(name.name);
  }
  for (const OutputName& name : output_names) {
    if ((call.outputs.*name.view).given) all.push_back(std::string("→ ") + name.name);
  }
  if (call.outputs.attention_heads.given) all.push_back("→ attention_heads");
  if (call.outputs.attention_queries.given) all.push_back("→ attention_queries");
  if (call.inputs.causal) all.push_back("causal");
  if (call.inputs.window.left >= 0 || call.inputs.window.right >= 0) all.push_back("window");
  if (call.new_keys >= 100) all.push_back("many keys");
  all.push_back(std::string("input ") + dtype_name(call.inputs.query.dtype));
  if (call.inputs.attention_mask.given)
    all.push_back(std::string("mask ") + dtype_name(call.inputs.attention_mask.dtype));
  if (!call.refusal.empty()) all.push_back("refusal about " + call.refusal);
  all.insert(all.end(), call.tags.begin(), call.tags.end());
}

}  // namespace

std::vector<std::string> options_of(const Case& one) {
  Options all;
  add_layer_options(one.layer, all);
  for (const Call& call : one.calls) add_call_options(call, all);
  if (one.cache) all.push_back(one.cache->circular ? "circular cache" : "static cache");
  if (one.cache) all.push_back(std::string("cache ") + dtype_name(one.cache->dtype));
  return all;
}

}  // namespace differential
