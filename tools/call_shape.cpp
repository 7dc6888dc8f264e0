#include "call_shape.hpp"

#include <algorithm>
#include <string>

#include "console.hpp"

namespace headwise::tools {
namespace {

void check_rank(const char* role, const TensorView& tensor) {
  if (tensor.shape.rank() == 2 || tensor.shape.rank() == 3) return;
  throw UsageError(std::string(role) + " has shape " + to_string(tensor.shape) +
                   "; make it [batch, length, width] or [length, width]");
}

std::int64_t rows_of(const TensorView& tensor) {
  return tensor.shape[tensor.shape.rank() - 2];
}

// Wrong numbers are for the library to refuse: here they only must not ask for absurd amounts of memory.
std::int64_t longest(const Tensor& starts, std::int64_t rows) {
  const std::int64_t* data = starts.data<std::int64_t>();
  std::int64_t most = 0;
  for (std::int64_t b = 0; b + 1 < starts.size(); ++b) most = std::max(most, std::min(data[b + 1], rows) - data[b]);
  return std::clamp<std::int64_t>(most, 0, rows);
}

void read_ragged(const AttentionInputs& inputs, CallShape& call) {
  const TensorView& own = inputs.cumulative_key_lengths;
  const Tensor queries = convert(inputs.cumulative_query_lengths, DType::i64);
  const Tensor keys = convert(own.given ? own : inputs.cumulative_query_lengths, DType::i64);
  call.ragged = true;
  call.batch = std::max<std::int64_t>(queries.size() - 1, 0);
  call.query_length = longest(queries, call.query_rows);
  call.key_length = longest(keys, call.key_length);
}

}  // namespace

CallShape call_shape(const AttentionInputs& inputs) {
  check_rank("query", inputs.query);
  check_rank("key", inputs.key);
  CallShape call;
  call.batched = inputs.query.shape.rank() == 3;
  call.batch = call.batched ? inputs.query.shape[0] : 1;
  call.query_length = call.query_rows = rows_of(inputs.query);
  call.key_length = rows_of(inputs.key);
  if (inputs.cumulative_query_lengths.given) read_ragged(inputs, call);
  return call;
}

}  // namespace headwise::tools
