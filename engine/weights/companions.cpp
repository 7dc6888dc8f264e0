#include "companions.hpp"

namespace headwise {

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
      "q_layernorm.weight",  // Phi, Persimmon, Falcon's relatives
      "k_layernorm.weight",
      "q_layernorm.norms.0.weight",  // StableLM
      "query_layernorm.weight",
      "q_ln.weight",  // MPT
      "k_ln.weight",
      "norm.weight",  // timm, between context and output
      "inner_attn_ln.weight",
      "sinks",   // a logit of its own for each head
      "q_bias",  // BEiT and EVA in their own files, DeBERTa
      "v_bias",
      rotary_companion,
      "self.rotary_embeddings.inv_freq",  // ESM
      "pos_key_proj.weight",              // DeBERTa
      "pos_query_proj.weight",
      "self.pos_key_proj.weight",
      "self.pos_query_proj.weight",
      "rel_attn_embed.weight",  // WavLM
      "gru_rel_pos_const",
      "self.distance_embedding.weight",     // BERT with relative positions
      "self.relative_position_bias_table",  // Swin …
      "relative_position_bias_table",       // … in timm's names
      "self.logit_scale",                   // Swin v2
      "logit_scale",
      "self.relative_position_bias.relative_position_bias_table",  // BEiT
      "attention.relative_position_bias.relative_position_bias_table",
      "rel_pos.relative_position_bias_table",  // timm
      "rel_pos_h",                             // SAM
      "relative_attention_bias.weight",        // WavLM, and T5's under other names
      "rel_pos_bias",
      "distance_embedding.weight",
      "alibi_slopes",
      "pos_bias_u",  // Transformer-XL, Conformer
      "pos_bias_v",
      "temperature",  // XCiT and its relatives, of the scores
      "tau",
      "v_norm.weight",
      "gate.weight",  // of the context or of the heads
      "gate_proj.weight",
      "g_proj.weight",
      "head_gate",
      "q_proj.lora_A.weight",  // not merged into the matrix
      "q_proj.weight_scale",   // of a quantised one
      "gate.kernel",           // Keras, MultiHeadAttention(use_gate=True)
      "gate/kernel",
      "gate_dense/vars/0",
      "query_norm.scale",  // Flax, MultiHeadDotProductAttention(normalize_qk=True)
      "query_norm/scale",
      "query_ln.scale",
      "query_ln/scale",
  };
  return names;
}

}  // namespace headwise
