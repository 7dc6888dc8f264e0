#include <bit>
#include <cstring>

#include "elements.hpp"
#include "run.hpp"

namespace differential {

using namespace headwise;

namespace {

constexpr char mark = char(0xC3);  // in every byte that no result covers

void fill_marks(const Call& call) {
  for (const StridedTensor& memory : call.result_memory) {
    const_cast<StridedTensor&>(memory).fill_marks(std::bit_cast<float>(0xC3C3C3C3U));
  }
}

bool holds_only_marks(const Call& call) {
  for (const StridedTensor& memory : call.result_memory) {
    if (!memory.holds_only(std::bit_cast<float>(0xC3C3C3C3U))) return false;
  }
  return true;
}

// Takes the elements out and leaves marks.
Result take(const MutableTensorView& view) {
  Result result{view.dtype, view.shape, {}};
  const std::size_t size = dtype_size(view.dtype);
  for_each_element(view, [&](void* at, const std::int64_t*) {
    const char* bytes = static_cast<const char*>(at);
    result.bytes.insert(result.bytes.end(), bytes, bytes + size);
    std::memset(at, mark, size);
  });
  return result;
}

AttentionOutputs asked_for(const Call& call, Ask ask) {
  if (ask == Ask::everything) return call.outputs;
  AttentionOutputs output;
  output.output = call.outputs.output;
  return output;
}

}  // namespace

double Result::at(std::size_t i) const {
  return load(bytes.data() + i * dtype_size(dtype), dtype);
}

Results run_call(Session& session, const Call& call, KvCache* cache, Ask ask) {
  Results results;
  AttentionInputs inputs = call.inputs;
  inputs.cache = cache;
  const AttentionOutputs outputs = asked_for(call, ask);
  fill_marks(call);
  try {
    session.run(inputs, outputs);
    for (const OutputName& name : output_names) {
      if ((outputs.*name.view).given) results.outputs[name.name] = take(outputs.*name.view);
    }
  } catch (const Error& error) {
    results.refused = true;
    results.error = error.what();
  }
  results.in_place = holds_only_marks(call);
  return results;
}

}  // namespace differential
