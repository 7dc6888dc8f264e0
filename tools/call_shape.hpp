// The lengths of a call, as its tensors tell them.
#pragma once

#include <headwise/headwise.hpp>

namespace headwise::tools {

struct CallShape {
  std::int64_t batch = 1, query_length = 0, key_length = 0;  // lengths of the longest sequence
  std::int64_t query_rows = 0;                               // of the output: all sequences together when ragged
  bool batched = true;                                       // query has three axes
  bool ragged = false;
};

// Throws UsageError unless query and key have two or three axes.
CallShape call_shape(const AttentionInputs& inputs);

}  // namespace headwise::tools
