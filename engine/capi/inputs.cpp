#include "c_views.hpp"
#include "call_arguments.hpp"
#include "handles.hpp"
#include "structs.hpp"

namespace headwise::capi {
namespace {

void read_masks(const headwise_inputs& c, AttentionInputs& result) {
  result.attention_mask = read_view("attention_mask", c.attention_mask);
  result.attention_mask_meaning = read_enum("attention_mask_meaning", c.attention_mask_meaning, BooleanMask::drop);
  result.key_padding_mask = read_view("key_padding_mask", c.key_padding_mask);
  result.key_padding_meaning = read_enum("key_padding_meaning", c.key_padding_meaning, BooleanMask::drop);
  result.key_lengths = read_view("key_lengths", c.key_lengths);
  result.query_lengths = read_view("query_lengths", c.query_lengths);
  result.causal = read_flag("causal", c.causal);
  result.causal_alignment = read_enum("causal_alignment", c.causal_alignment, CausalAlignment::lower_right);
  result.query_offsets = read_view("query_offsets", c.query_offsets);
  if (c.window != nullptr) result.window = {c.window->left, c.window->right};
  result.query_documents = read_view("query_documents", c.query_documents);
  result.key_documents = read_view("key_documents", c.key_documents);
}

void read_positions(const headwise_inputs& c, AttentionInputs& result) {
  result.cumulative_query_lengths = read_view("cumulative_query_lengths", c.cumulative_query_lengths);
  result.cumulative_key_lengths = read_view("cumulative_key_lengths", c.cumulative_key_lengths);
  result.position_ids = read_view("position_ids", c.position_ids);
  result.key_position_ids = read_view("key_position_ids", c.key_position_ids);
  result.rotary_cos = read_view("rotary_cos", c.rotary_cos);
  result.rotary_sin = read_view("rotary_sin", c.rotary_sin);
}

}  // namespace

AttentionInputs read_inputs(const headwise_inputs* inputs) {
  const auto c = read_struct("inputs", inputs);
  AttentionInputs result;
  result.query = read_view("query", c.query);
  result.key = read_view("key", c.key);
  result.value = read_view("value", c.value);
  read_masks(c, result);
  read_positions(c, result);
  result.head_gate = read_view("head_gate", c.head_gate);
  result.heads = read_view("heads", c.heads);
  if (c.cache != nullptr) result.cache = &c.cache->cache;
  if (c.cancel != nullptr) result.cancel = &c.cancel->set;
  return result;
}

}  // namespace headwise::capi
