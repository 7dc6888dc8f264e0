#include "operations.hpp"

#include <cstring>

namespace headwise::conformance {

void run_rotary(Case& test) {
  RotaryInputs inputs;
  inputs.input = test.input("input");
  inputs.cos = test.input("cos");
  inputs.sin = test.input("sin");
  inputs.position_ids = test.input("position_ids");
  const bool interleaved = test.call().at("layout") == "interleaved";
  inputs.layout = interleaved ? RotaryLayout::interleaved : RotaryLayout::half_split;
  apply_rotary(inputs, test.output("output"));
}

// The other project returns a new cache, headwise writes into the one it is given.
void run_scatter(Case& test) {
  const MutableTensorView cache = test.output("cache");
  const Tensor past = test.stored("cache");
  std::memcpy(cache.data, past.view().data, static_cast<std::size_t>(past.size()) * dtype_size(past.dtype()));
  scatter_rows(cache, test.input("update"), test.input("write_indices"), test.call().at("circular"));
}

}  // namespace headwise::conformance
