// Every result that a call may write, once: its option, its type, its shape, where it goes.
#pragma once

#include <array>
#include <headwise/headwise.hpp>
#include <span>
#include <string>

#include "call_shape.hpp"

namespace headwise::tools {

enum class Output {
  output,
  attention,
  average_attention,
  scores,
  log_sum_exp,
  column_sums,
  top_weights,
  top_keys,
  head_context,
  head_contribution,
  count
};

// What the shapes of results follow from.
struct ResultSizes {
  CallShape call;
  AttentionConfig config;
  std::int64_t columns = 0;                        // keys, those that the layer adds included
  std::int64_t chosen_heads = 0, chosen_rows = 0;  // of --attention and --scores
  std::int64_t top = 0;
};

struct OutputFile {
  Output id = Output::count;
  const char* name = "";  // "log_sum_exp"; the option is --log-sum-exp
  MutableTensorView AttentionOutputs::*view = nullptr;
  DType dtype = DType::f32;  // that of `output` follows the call
  Dims (*shape)(const ResultSizes& sizes) = nullptr;
  const char* help = "";

  std::string option() const;
};

std::span<const OutputFile> output_files();
const OutputFile& output_file(Output id);

// One entry for each Output.
template <class Entry>
class PerOutput {
 public:
  Entry& operator[](Output id) { return entries_[static_cast<std::size_t>(id)]; }
  const Entry& operator[](Output id) const { return entries_[static_cast<std::size_t>(id)]; }

 private:
  std::array<Entry, static_cast<std::size_t>(Output::count)> entries_{};
};

}  // namespace headwise::tools
