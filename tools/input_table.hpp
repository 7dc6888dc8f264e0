// Every tensor that a call may read from a file, once: its option, its kind, where it goes. Options, loading, checks
// and reports all go through this table.
#pragma once

#include <array>
#include <headwise/headwise.hpp>
#include <span>
#include <string>

namespace headwise::tools {

enum class Input {
  query,
  key,
  value,
  mask,
  key_padding,
  key_lengths,
  query_lengths,
  query_offsets,
  query_documents,
  key_documents,
  cumulative_query_lengths,
  cumulative_key_lengths,
  head_gate,
  only_heads,
  position_ids,
  key_position_ids,
  attention_heads,
  attention_queries,
  count
};

enum class InputKind {
  activations,  // floats, brought to the type of the call
  floats,       // f32
  mask,         // bool or f32
  numbers,      // i32 or i64, from a file or a list such as 3,5,2
};

struct InputFile {
  Input id = Input::count;
  const char* name = "";  // "key_lengths"; the option is --key-lengths
  InputKind kind = InputKind::floats;
  TensorView AttentionInputs::*input = nullptr;
  TensorView AttentionOutputs::*choice = nullptr;  // instead of input: it chooses parts of a result
  const char* group = "";
  const char* help = "";

  std::string role() const;                             // "key-lengths"
  std::string option() const { return "--" + role(); }  // "--key-lengths"
};

std::span<const InputFile> input_files();
const InputFile& input_file(Input id);

// One entry for each Input.
template <class Entry>
class PerInput {
 public:
  Entry& operator[](Input id) { return entries_[static_cast<std::size_t>(id)]; }
  const Entry& operator[](Input id) const { return entries_[static_cast<std::size_t>(id)]; }

 private:
  std::array<Entry, static_cast<std::size_t>(Input::count)> entries_{};
};

}  // namespace headwise::tools
