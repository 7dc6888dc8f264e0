#include "input_table.hpp"

#include <algorithm>

#include "option_words.hpp"

namespace headwise::tools {
namespace {

using In = AttentionInputs;
using Out = AttentionOutputs;

constexpr auto tensors = "Inputs (.npy)", masks = "Masks", heads = "Heads", positions = "Positions",
               results = "Results";

// Where an option stands in the help is where it stands here.
constexpr InputFile table[] = {
    {Input::query, "query", InputKind::activations, &In::query, nullptr, tensors,
     "Query [batch, queries, width] or [queries, width]"},
    {Input::key, "key", InputKind::activations, &In::key, nullptr, tensors, "Key (default: the query)"},
    {Input::value, "value", InputKind::activations, &In::value, nullptr, tensors, "Value (default: the key)"},
    {Input::cumulative_query_lengths, "cumulative_query_lengths", InputKind::numbers, &In::cumulative_query_lengths,
     nullptr, tensors,
     "Ragged batch: query is [all tokens, width], sequence b has rows n[b] to n[b+1]; 0,3,8 or a file"},
    {Input::cumulative_key_lengths, "cumulative_key_lengths", InputKind::numbers, &In::cumulative_key_lengths, nullptr,
     tensors, "The same for key and value (default: as the query)"},
    {Input::mask, "mask", InputKind::mask, &In::attention_mask, nullptr, masks,
     "bool, integer or float .npy, broadcast over [batch, heads, queries, keys]"},
    {Input::key_padding, "key_padding", InputKind::mask, &In::key_padding_mask, nullptr, masks,
     "bool, integer or float .npy [batch, keys] or [keys]"},
    {Input::key_lengths, "key_lengths", InputKind::numbers, &In::key_lengths, nullptr, masks,
     "Live keys of each sequence [batch]: a .npy file, or 3,5,2"},
    {Input::query_lengths, "query_lengths", InputKind::numbers, &In::query_lengths, nullptr, masks,
     "Live queries of each sequence [batch]; later rows become zeros"},
    {Input::query_documents, "query_documents", InputKind::numbers, &In::query_documents, nullptr, masks,
     "Ids [batch, queries] or [queries]: a query sees keys of its own document only"},
    {Input::key_documents, "key_documents", InputKind::numbers, &In::key_documents, nullptr, masks,
     "Ids [batch, keys] or [keys] (default: those of the queries)"},
    {Input::query_offsets, "query_offsets", InputKind::numbers, &In::query_offsets, nullptr, positions,
     "[batch]: query i stands at position i + offset, instead of --causal-alignment"},
    {Input::position_ids, "position_ids", InputKind::numbers, &In::position_ids, nullptr, positions,
     "Rotary positions [batch, queries] or [queries] instead of i + offset"},
    {Input::key_position_ids, "key_position_ids", InputKind::numbers, &In::key_position_ids, nullptr, positions,
     "Rotary positions [batch, keys] or [keys]"},
    {Input::only_heads, "only_heads", InputKind::numbers, &In::heads, nullptr, heads,
     "Only these heads take part, the others add nothing: 0,1 or a file"},
    {Input::head_gate, "head_gate", InputKind::floats, &In::head_gate, nullptr, heads,
     "Factor of each head's context [heads] or [batch, heads]"},
    {Input::attention_heads, "attention_heads", InputKind::numbers, nullptr, &Out::attention_heads, results,
     "--attention and --scores of these heads only: 0,2 or a file"},
    {Input::attention_queries, "attention_queries", InputKind::numbers, nullptr, &Out::attention_queries, results,
     "--attention and --scores of these query rows only: 0,2 or a file"},
};

static_assert(std::size(table) == static_cast<std::size_t>(Input::count));

}  // namespace

std::string InputFile::role() const {
  return option_words(name);
}

std::span<const InputFile> input_files() {
  return table;
}

const InputFile& input_file(Input id) {
  return *std::find_if(std::begin(table), std::end(table), [id](const InputFile& file) { return file.id == id; });
}

}  // namespace headwise::tools
