#include "layouts.hpp"

#include <deque>
#include <string>

namespace headwise {
namespace {

// Four linear layers of their own, each with .weight [out, in] and maybe .bias [out].
struct FourLinears {
  const char *family, *query, *key, *value, *output;
};

constexpr FourLinears four_linears[] = {
    {"bert", "self.query", "self.key", "self.value", "output.dense"},  // BERT, RoBERTa, XLM-R, ELECTRA, MiniLM
    {"linear4", "w_q", "w_k", "w_v", "w_o"},
    {"linear4", "W_q", "W_k", "W_v", "W_o"},
    {"linear4", "wq", "wk", "wv", "wo"},
    {"linear4", "q_linear", "k_linear", "v_linear", "out"},
    {"linear4", "q_linear", "k_linear", "v_linear", "out_linear"},
    {"linear4", "q_linear", "k_linear", "v_linear", "o_linear"},
    {"linear4", "fc_q", "fc_k", "fc_v", "fc_o"},
    {"linear4", "query", "key", "value", "out"},
    {"linear4", "query", "key", "value", "output"},
    {"linear4", "query", "key", "value", "out_proj"},
    {"linear4", "query", "key", "value", "o"},
    {"linear4", "query", "key", "value", "dense"},
    {"linear4", "to_q", "to_k", "to_v", "to_out.0"},
    {"linear4", "to_q", "to_k", "to_v", "to_out"},
    {"linear4", "q_proj", "k_proj", "v_proj", "out_proj"},
    {"linear4", "q_proj", "k_proj", "v_proj", "o_proj"},
    {"linear4", "linears.0", "linears.1", "linears.2", "linears.3"},
    {"t5", "SelfAttention.q", "SelfAttention.k", "SelfAttention.v", "SelfAttention.o"},
    {"t5", "EncDecAttention.q", "EncDecAttention.k", "EncDecAttention.v", "EncDecAttention.o"},
};

std::vector<PartName> appended() {
  return {{"bias_key", "bias_k"}, {"bias_value", "bias_v"}};
}

// What Qwen3 and Gemma 3, gpt-oss and fairseq have beside their linear layers. T5's cross-attention has no table,
// though old files hold one that was never used.
std::vector<PartName> extras_of(const FourLinears& names) {
  if (names.query == std::string_view("SelfAttention.q")) {
    return {{"relative_bias", "SelfAttention.relative_attention_bias.weight"}};
  }
  if (names.family != std::string_view("linear4")) return {};
  return {{"query_norm", "q_norm.weight"},
          {"key_norm", "k_norm.weight"},
          {"sinks", "sinks"},
          {"bias_key", "bias_k"},
          {"bias_value", "bias_v"}};
}

// torch nn.MultiheadAttention with one width for all inputs …
Layout torch_packed() {
  return {"torch_mha",
          {{"qkv_weight", "in_proj_weight"}, {"output_weight", "out_proj.weight"}},
          {{"qkv_bias", "in_proj_bias"}, {"output_bias", "out_proj.bias"}},
          appended()};
}

// … and with widths of their own for key and value: the bias stays fused.
Layout torch_separate() {
  return {"torch_mha_separate",
          {{"query_weight", "q_proj_weight"},
           {"key_weight", "k_proj_weight"},
           {"value_weight", "v_proj_weight"},
           {"output_weight", "out_proj.weight"}},
          {{"qkv_bias", "in_proj_bias"}, {"output_bias", "out_proj.bias"}},
          appended()};
}

Layout expand(const FourLinears& names) {
  static std::deque<std::string> storage;  // keeps its strings where they are
  const auto text = [](std::string name) { return std::string_view(storage.emplace_back(std::move(name))); };
  const std::pair<std::string, std::string> linears[] = {
      {"query", names.query}, {"key", names.key}, {"value", names.value}, {"output", names.output}};
  Layout layout{names.family, {}, {}, extras_of(names), names.family == std::string_view("linear4")};
  for (const auto& [role, name] : linears) {
    layout.weights.push_back({text(role + "_weight"), text(name + ".weight")});
    layout.biases.push_back({text(role + "_bias"), text(name + ".bias")});
  }
  return layout;
}

std::vector<Layout> make_layouts() {
  std::vector<Layout> layouts{torch_packed(), torch_separate()};
  for (const FourLinears& names : four_linears) layouts.push_back(expand(names));
  return layouts;
}

}  // namespace

const std::vector<Layout>& known_layouts() {
  static const std::vector<Layout> layouts = make_layouts();
  return layouts;
}

const std::vector<std::string_view>& refused_companions() {
  static const std::vector<std::string_view> names{
      "bias_k",         // nn.MultiheadAttention(add_bias_kv=True)
      "bias_v",         // the same
      "q_norm.weight",  // norms of query and key, by mean square …
      "k_norm.weight",
      "norm_q.weight",  // … as diffusers names them
      "norm_k.weight",
      "q_norm.bias",  // … with a mean
      "k_norm.bias",
      "q_layernorm.weight",  // Phi, Persimmon
      "k_layernorm.weight",
      "q_layernorm.norms.0.weight",  // StableLM
      "sinks",                       // a logit of its own for each head
      rotary_companion,
      "self.rotary_embeddings.inv_freq",  // ESM
      "pos_key_proj.weight",              // DeBERTa
      "pos_query_proj.weight",
      "self.pos_key_proj.weight",
      "self.pos_query_proj.weight",
      "rel_attn_embed.weight",  // WavLM
      "gru_rel_pos_const",
      "self.distance_embedding.weight",                            // BERT with relative positions
      "self.relative_position_bias_table",                         // Swin
      "self.logit_scale",                                          // Swin v2
      "self.relative_position_bias.relative_position_bias_table",  // BEiT
  };
  return names;
}

}  // namespace headwise
