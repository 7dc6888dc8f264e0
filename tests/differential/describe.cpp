// A case in words, and the options that it uses.
#include <sstream>

#include "describe.hpp"

namespace differential {

using namespace headwise;

namespace {

class Words {
 public:
  template <class T>
  Words& add(const char* name, const T& value, bool shown = true) {
    if (shown) text_ << ' ' << name << '=' << value;
    return *this;
  }
  Words& add(const char* name, const Tensor& tensor) {
    return add(name, tensor.given() ? to_string(tensor.shape()) : "", tensor.given());
  }
  Words& add(const char* name, const TensorView& v) {
    return add(name, std::string(dtype_name(v.dtype)) + to_string(v.shape) + "/" + to_string(v.strides), v.given);
  }
  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
};

std::string numbers_of(const TensorView& view) {
  std::ostringstream text;
  for_each_element(view, [&](void* at, const std::int64_t*) { text << ' ' << load(at, view.dtype); });
  return text.str();
}

std::string describe(const RotaryConfig& r) {
  return Words()
      .add("dim", r.dim)
      .add("layout", r.layout == RotaryLayout::interleaved ? "interleaved" : "half_split")
      .add("base", r.base)
      .add("scaling", int(r.scaling), r.scaling != RotaryScaling::none)
      .add("factor", r.factor, r.factor != 1)
      .add("original", r.original_positions, r.original_positions != 0)
      .add("low", r.low_frequency_factor, r.low_frequency_factor != 1)
      .add("beta_fast", r.beta_fast, r.beta_fast != 32)
      .add("attention_factor", r.attention_factor, r.attention_factor != 0)
      .text();
}

std::string describe(const PositionBiasConfig& p) {
  const bool t5 = p.kind == PositionBias::t5;
  return Words()
      .add("slopes", p.slopes == AlibiSlopes::geometric ? "geometric" : "interleaved", !t5)
      .add("max", p.alibi_max, !t5)
      .add("bidirectional", p.bidirectional, t5)
      .add("max_distance", p.max_distance, t5)
      .text();
}

std::string describe(const Layer& layer) {
  const AttentionWeights& w = layer.weights;
  const AttentionConfig &c = w.config, &sizes = layer.config;
  Words words;
  words.add("projected", layer.projected).add("heads", c.num_heads).add("kv_heads", c.num_kv_heads);
  words.add("d", c.head_dim).add("dv", sizes.value_dim).add("model_dim", sizes.model_dim, layer.projected);
  words.add("scale", c.scale.value_or(0), c.scale.has_value()).add("softcap", c.softcap, c.softcap != 0);
  words.add("empty", int(c.rows_without_keys)).add("zero_key", true, c.add_zero_attention);
  words.add("query_norm", w.query_norm).add("key_norm", w.key_norm).add("sinks", w.sinks);
  words.add("bias_key", w.bias_key)
      .add("relative_bias", w.relative_bias)
      .add("slopes", w.alibi_slopes)
      .add("epsilon", c.norm_epsilon);
  words.add("query_bias", w.query_bias).add("key_bias", w.key_bias).add("value_bias", w.value_bias);
  words.add("rotary", "(" + describe(c.rotary) + " )", c.rotary.dim > 0);
  words.add("position", "(" + describe(c.position_bias) + " )", c.position_bias.kind != PositionBias::none);
  return "layer:" + words.text();
}

std::string describe(const CacheAction& action) {
  constexpr const char* names[] = {"append", "append_heads", "truncate", "roll_back", "copy_row", "fork", "clear"};
  Words words;
  words.add("row", action.row).add("count", action.count);
  for (const InputName& name : input_names) words.add(name.name, action.inputs.*name.view);
  return std::string("  cache.") + names[int(action.kind)] + words.text() + "\n";
}

std::string describe_masks(const AttentionInputs& in) {
  return Words()
      .add("causal", true, in.causal)
      .add("alignment", int(in.causal_alignment), in.causal_alignment != CausalAlignment::unspecified)
      .add("window", std::to_string(in.window.left) + ":" + std::to_string(in.window.right),
           in.window.left >= 0 || in.window.right >= 0)
      .add("mask_meaning", in.attention_mask_meaning == BooleanMask::keep ? "keep" : "drop", in.attention_mask.given)
      .add("padding_meaning", in.key_padding_meaning == BooleanMask::keep ? "keep" : "drop", in.key_padding_mask.given)
      .text();
}

std::string describe(const Call& call) {
  std::string text;
  for (const CacheAction& action : call.before) text += describe(action);
  Words in, out;
  for (const InputName& name : input_names) in.add(name.name, call.inputs.*name.view);
  for (const OutputName& name : output_names) out.add(name.name, TensorView(call.outputs.*name.view));
  out.add("stage", int(call.outputs.score_stage), call.outputs.scores.given);
  out.add("chosen_heads", call.outputs.attention_heads).add("chosen_queries", call.outputs.attention_queries);
  text += "  run:" + in.text() + describe_masks(call.inputs) + "\n    →" + out.text() +
          "\n    threads=" + std::to_string(call.options.threads) +
          " schedule=" + std::to_string(int(call.options.schedule));
  for (const std::string& tag : call.tags) text += " (" + tag + ")";
  for (const InputName& name : input_names) {
    const TensorView& view = call.inputs.*name.view;
    if (view.given && !is_float(view.dtype) && view.shape.rank() == 1 && view.shape[0] < 12) {
      text += std::string("\n    ") + name.name + ":" + numbers_of(view);
    }
  }
  return text + "\n";
}

}  // namespace

std::string describe(const Case& one) {
  std::string text = describe(one.layer) + "\n";
  if (one.cache) {
    text += "  cache: batch=" + std::to_string(one.cache->batch) + " capacity=" + std::to_string(one.cache->capacity) +
            " " + dtype_name(one.cache->dtype) + (one.cache->circular ? " circular" : "") + "\n";
  }
  for (const Call& call : one.calls) text += describe(call);
  return text;
}

}  // namespace differential
