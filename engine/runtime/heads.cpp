// Which heads take part, and by what their contexts are multiplied.
#include <algorithm>
#include <string>

#include "request.hpp"

namespace headwise::runtime {

namespace {

void read_gate(const TensorView& gate, Tables& tables, Request& request) {
  const Sizes& s = request.sizes;
  const char* name = "head_gate";
  require_readable(name, gate, {DType::f32});
  request.per_batch_gates = gate.shape.rank() == 2;
  if (request.per_batch_gates) require_shape(name, gate, {s.batch, s.heads});
  if (!request.per_batch_gates) require_shape(name, gate, {s.heads});
  const std::int64_t rows = request.per_batch_gates ? s.batch : 1;
  const int last = gate.shape.rank() - 1;
  tables.gates.resize(static_cast<std::size_t>(rows * s.heads));
  for (std::int64_t b = 0; b < rows; ++b) {
    load_row(gate, {request.per_batch_gates ? b * gate.strides[0] : 0, gate.strides[last], s.heads},
             kernels::Element::f32, tables.gates.data() + b * s.heads);
  }
}

bool is_listed(const TensorView& heads, std::int64_t head) {
  for (std::int64_t i = 0; i < heads.shape[0]; ++i) {
    if (id_at(heads, i * heads.strides[0]) == head) return true;
  }
  return false;
}

// Heads that are not listed get a gate of 0.
void read_list(const TensorView& heads, Tables& tables, Request& request) {
  const auto count = static_cast<std::size_t>(request.sizes.heads);
  require_readable("heads", heads, id_types);
  if (heads.shape.rank() != 1) refuse("heads", "has shape " + to_string(heads.shape) + "; expected [n]");
  for (std::int64_t i = 0; i < heads.shape[0]; ++i) {
    const std::int64_t head = id_at(heads, i * heads.strides[0]);
    if (head >= 0 && head < request.sizes.heads) continue;
    refuse("heads", "lists head " + std::to_string(head) + "; the layer has heads 0 to " + std::to_string(count - 1));
  }
  if (tables.gates.empty()) tables.gates.assign(count, 1.0F);
  for (std::size_t g = 0; g < tables.gates.size(); ++g) {
    if (!is_listed(heads, static_cast<std::int64_t>(g % count))) tables.gates[g] = 0;
  }
}

}  // namespace

void read_heads(const AttentionInputs& inputs, Tables& tables, Request& request) {
  tables.gates.clear();
  if (inputs.head_gate.given) read_gate(inputs.head_gate, tables, request);
  if (inputs.heads.given) read_list(inputs.heads, tables, request);
}

}  // namespace headwise::runtime
