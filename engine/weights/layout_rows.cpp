#include "layout_rows.hpp"

namespace headwise {
namespace {

// How matrices are stored; the words follow "stored as".
constexpr Form linear{"[out, in]"};
constexpr Form grouped_linear{"[out, in], key and value may have fewer heads", Axes::out_in, FusedOrder::blocks, true};
constexpr Form meta_linear{"[out, in], key and value may have fewer heads; a rotary embedding turns neighbours",
                           Axes::out_in,
                           FusedOrder::blocks,
                           true,
                           false,
                           true};
constexpr Form stacked{"[out, in], rows of query, key, value below each other"};
constexpr Form grouped_stacked{
    "[out, in], rows of query, key, value below each other; key and value may have fewer heads", Axes::out_in,
    FusedOrder::blocks, true};
constexpr Form conv1d{"[in, out], columns of query, key, value side by side", Axes::in_out};
constexpr Form by_head{"[out, in], rows of query, key, value in turn for each head: [H, 3, d]", Axes::out_in,
                       FusedOrder::groups};
constexpr Form by_group{
    "[out, in], for each key/value head the rows of its queries, its key, its value: [Hkv, H/Hkv + 2, d]", Axes::out_in,
    FusedOrder::groups, true};
constexpr Form dense{"[in, out], or [in, H, d] and [H, d, out] with biases [H, d]; key and value may have fewer heads",
                     Axes::in_out, FusedOrder::blocks, true, true};

// Parts beside matrices and biases, as role=name.
constexpr auto appended_keys = "bias_key=bias_k bias_value=bias_v";
constexpr auto norms_and_more =
    "query_norm=q_norm.weight key_norm=k_norm.weight sinks=sinks bias_key=bias_k bias_value=bias_v";
constexpr auto t5_table = "relative_bias=SelfAttention.relative_attention_bias.weight";
constexpr auto fused_bias = "qkv_bias=in_proj_bias bias_key=bias_k bias_value=bias_v";

constexpr auto plain = "any class with four linear layers";
constexpr bool maybe_without_input_biases = true;

}  // namespace

const std::vector<LayoutRow>& layout_rows() {
  static const std::vector<LayoutRow> rows{
      // torch nn.MultiheadAttention: as quantizable module, with one width for all inputs, with widths of their own for
      // key and value (the bias stays fused).
      {"torch_mha", "torch.ao.nn.quantizable", {"linear_Q", "linear_K", "linear_V", "out_proj"}, linear, appended_keys},
      {"torch_mha",
       "torch nn.MultiheadAttention, OpenCLIP",
       {"in_proj_weight|in_proj_bias", "out_proj"},
       stacked,
       appended_keys},
      {"torch_mha_separate",
       "torch nn.MultiheadAttention with kdim, vdim",
       {"q_proj_weight|", "k_proj_weight|", "v_proj_weight|", "out_proj"},
       linear,
       fused_bias},

      // Four linear layers.
      {"bert", "bert, roberta, xlm-roberta, electra, MiniLM", {"self.query", "self.key", "self.value", "output.dense"}},
      {"vit",
       "vit, deit, dinov2",
       {"attention.query", "attention.key", "attention.value", "output.dense"},
       linear,
       "",
       maybe_without_input_biases},
      {"distilbert", "distilbert", {"q_lin", "k_lin", "v_lin", "out_lin"}},
      {"linear4", plain, {"w_q", "w_k", "w_v", "w_o"}, grouped_linear, norms_and_more},
      {"linear4", "d2l", {"W_q", "W_k", "W_v", "W_o"}, grouped_linear, norms_and_more},
      {"linear4", "Meta's own Llama files", {"wq", "wk", "wv", "wo"}, meta_linear, norms_and_more},
      {"linear4", plain, {"q_linear", "k_linear", "v_linear", "out"}, grouped_linear, norms_and_more},
      {"linear4", plain, {"q_linear", "k_linear", "v_linear", "out_linear"}, grouped_linear, norms_and_more},
      {"linear4", plain, {"q_linear", "k_linear", "v_linear", "o_linear"}, grouped_linear, norms_and_more},
      {"linear4", plain, {"fc_q", "fc_k", "fc_v", "fc_o"}, grouped_linear, norms_and_more},
      {"linear4", plain, {"query", "key", "value", "out"}, grouped_linear, norms_and_more},
      {"linear4", plain, {"query", "key", "value", "output"}, grouped_linear, norms_and_more},
      {"linear4", plain, {"query", "key", "value", "out_proj"}, grouped_linear, norms_and_more},
      {"linear4", plain, {"query", "key", "value", "o"}, grouped_linear, norms_and_more},
      {"linear4", "albert", {"query", "key", "value", "dense"}, grouped_linear, norms_and_more},
      {"linear4", "diffusers", {"to_q", "to_k", "to_v", "to_out.0"}, grouped_linear, norms_and_more},
      {"linear4", plain, {"to_q", "to_k", "to_v", "to_out"}, grouped_linear, norms_and_more},
      {"linear4",
       "clip, siglip, bart, mbart, opt, whisper, fairseq",
       {"q_proj", "k_proj", "v_proj", "out_proj"},
       grouped_linear,
       norms_and_more},
      {"linear4",
       "llama, mistral, qwen2, qwen3, gemma, gemma2, gemma3, gpt_oss, vit and dinov2 of Transformers 5",
       {"q_proj", "k_proj", "v_proj", "o_proj"},
       grouped_linear,
       norms_and_more},
      {"linear4",
       "the annotated transformer",
       {"linears.0", "linears.1", "linears.2", "linears.3"},
       grouped_linear,
       norms_and_more},
      {"t5",
       "t5, mt5, umt5",
       {"SelfAttention.q", "SelfAttention.k", "SelfAttention.v", "SelfAttention.o"},
       linear,
       t5_table},
      // Without a table, though old files hold one that was never used.
      {"t5", "t5, mt5, umt5", {"EncDecAttention.q", "EncDecAttention.k", "EncDecAttention.v", "EncDecAttention.o"}},

      // Query, key and value in one matrix.
      {"qkv", "timm, DINOv2's own files", {"qkv", "proj"}, grouped_stacked, "", maybe_without_input_biases},
      {"qkv", "modernbert", {"Wqkv", "Wo"}, grouped_stacked, "", maybe_without_input_biases},
      {"qkv", "mpt, nomic_bert", {"Wqkv", "out_proj"}, grouped_stacked, "", maybe_without_input_biases},
      {"qkv", "phi3", {"qkv_proj", "o_proj"}, grouped_stacked, "", maybe_without_input_biases},
      {"gpt2", "gpt2, cross-attention", {"q_attn", "c_attn", "c_proj"}, conv1d},
      {"gpt2", "gpt2", {"c_attn", "c_proj"}, conv1d},
      {"nanogpt", "nanoGPT, minGPT", {"c_attn", "c_proj"}, stacked},
      {"bloom", "bloom", {"query_key_value", "dense"}, by_head},
      {"gpt_neox", "gpt_neox", {"query_key_value", "dense"}, by_head},
      {"falcon", "falcon", {"query_key_value", "dense"}, by_group},
      {"chatglm", "chatglm", {"query_key_value", "dense"}, grouped_stacked, "", maybe_without_input_biases},

      // Keras layers and Flax modules.
      {"keras",
       "keras MultiHeadAttention, GroupedQueryAttention",
       {"query.kernel|query.bias", "key.kernel|key.bias", "value.kernel|value.bias",
        "attention_output.kernel|attention_output.bias"},
       dense},
      {"keras",
       "keras MultiHeadAttention, GroupedQueryAttention",
       {"query/kernel|query/bias", "key/kernel|key/bias", "value/kernel|value/bias",
        "attention_output/kernel|attention_output/bias"},
       dense},
      {"keras",
       "keras weights by attribute",
       {"query_dense/vars/0|query_dense/vars/1", "key_dense/vars/0|key_dense/vars/1",
        "value_dense/vars/0|value_dense/vars/1", "output_dense/vars/0|output_dense/vars/1"},
       dense},
      {"flax",
       "flax MultiHeadDotProductAttention",
       {"query.kernel|query.bias", "key.kernel|key.bias", "value.kernel|value.bias", "out.kernel|out.bias"},
       dense},
      {"flax",
       "flax MultiHeadDotProductAttention",
       {"query/kernel|query/bias", "key/kernel|key/bias", "value/kernel|value/bias", "out/kernel|out/bias"},
       dense},

      // Known by name, to say why they are not loaded.
      {"deepseek_mla",
       "deepseek_v2, deepseek_v3",
       {"kv_a_proj_with_mqa", "kv_b_proj", "o_proj"},
       linear,
       "",
       false,
       "its keys and values come through a low-rank bottleneck with a norm, and only a part of each head is rotated"},
      {"deberta",
       "deberta-v2",
       {"self.query_proj", "self.key_proj", "self.value_proj", "output.dense"},
       linear,
       "",
       false,
       "its scores hold products of content with relative positions and are scaled by their number"},
      {"deberta",
       "deberta",
       {"self.in_proj", "output.dense"},
       linear,
       "",
       false,
       "its scores hold products of content with relative positions and are scaled by their number"},
      {"gpt_bigcode",
       "gpt_bigcode",
       {"c_attn", "c_proj"},
       stacked,
       "",
       false,
       "query, key and value of a head follow each other in its rows, or all heads share one key; a name map can say "
       "so"},
      {"codegen",
       "codegen",
       {"qkv_proj", "out_proj"},
       linear,
       "",
       false,
       "its rows are ordered query, value, key within four shards; if the file's are not, a name map can say so"},
  };
  return rows;
}

}  // namespace headwise
