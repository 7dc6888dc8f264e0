// Public bug reports through the C interface: C04, C22, and the numbers of the A cases.
#include <omp.h>

#include "c_objects.hpp"
#include "each_bug_case.hpp"

using namespace headwise;

namespace {

Tensor run_c(const AttentionWeights& weights, const AttentionInputs& inputs, const Dims& shape,
             const std::string& isa) {
  Tensor output = filled(shape, unwritten);
  const CCall call(inputs, {.output = output.mutable_view()});
  check_ok(headwise_session_run(c_session(c_model(weights, {.isa = isa})), &call.inputs, &call.outputs));
  return output;
}

// A copy of a tensor `bytes` behind a 64-byte boundary.
struct Shifted {
  Tensor memory;
  MutableTensorView view;
  Shifted(const Tensor& tensor, std::int64_t bytes) : memory(DType::u8, {tensor.size() * 4 + 64}) {
    view = {memory.data<std::uint8_t>() + bytes, DType::f32, tensor.shape()};
    std::memcpy(view.data, tensor.data(), static_cast<std::size_t>(tensor.size()) * 4);
  }
};

AttentionWeights square_weights() {
  AttentionConfig config;
  config.model_dim = 12;
  config.num_heads = 2;
  return random_weights(config, 22);
}

}  // namespace

TEST_CASE("A01 A05 A07 A08 A10 A11 A19 A35 A38 A41 in C: attention alone") {
  each_heads_case([](const CaseCall& call, const std::string& isa) {
    AttentionWeights weights;
    weights.config = heads_config(call.query, call.key, call.value);
    weights.config.scale = call.scale();
    Dims shape = call.query.shape();
    shape[3] = call.value.shape()[3];
    check_expected(call.json, "out", run_c(weights, call.inputs, shape, isa));
  });
}

TEST_CASE("A02 A04 A14 in C: whole layers") {
  each_layer_case([](const CaseCall& call, const std::string& isa) {
    check_expected(call.json, "y", run_c(case_weights(call), call.inputs, call.query.shape(), isa));
  });
}

TEST_CASE("C04 in C: whatever the host does to OpenMP, results stay") {
  Random random(4);
  AttentionConfig config;
  config.model_dim = 96;
  config.num_heads = 3;
  const AttentionWeights weights = random_weights(config, 4);
  const Tensor x = random_tensor(random, {8, 33, 96});
  const Tensor expected = run(MultiHeadAttention(weights), inputs_of(x, x, x)).output;
  const OwnedModel model = c_model(weights);
  const int threads = omp_get_max_threads(), dynamic = omp_get_dynamic();
  for (const headwise_schedule schedule : {HEADWISE_SCHEDULE_WIDE, HEADWISE_SCHEDULE_DEEP}) {
    for (const int wanted : {0, 1, 4}) {
      omp_set_num_threads(1);
      const OwnedSession session = c_session(model, wanted, schedule);
      for (const int later : {16, 1, 2}) {
        omp_set_num_threads(later);
        omp_set_dynamic(later == 2 ? 1 : 0);
        Tensor y = filled(x.shape(), unwritten);
        const CCall call(inputs_of(x, x, x), {.output = y.mutable_view()});
        check_ok(headwise_session_run(session, &call.inputs, &call.outputs));
        CHECK(same_bits(y, expected));
        CHECK(omp_get_max_threads() == later);
      }
    }
  }
  omp_set_num_threads(threads);
  omp_set_dynamic(dynamic);
}

TEST_CASE("C22 in C: every multiple of four bytes is right, an address inside a float is refused") {
  const AttentionWeights weights = square_weights();
  for (const std::string& isa : running_isas()) {
    const OwnedModel model = c_model(weights, {.isa = isa});
    const OwnedSession session = c_session(model);
    for (const std::int64_t length : {1, 2}) {
      Random random(22);
      const Tensor x = random_tensor(random, {1, length, 12}), mask = random_tensor(random, {length, length});
      AttentionInputs inputs = inputs_of(x, x, x);
      inputs.attention_mask = mask.view();
      const Tensor expected = run(MultiHeadAttention(weights, {.isa = isa}), inputs).output;
      for (std::int64_t bytes = 0; bytes < 64; bytes += 4) {
        CAPTURE(isa);
        CAPTURE(length);
        CAPTURE(bytes);
        const Shifted in(x, bytes), shifted_mask(mask, bytes), out(filled(x.shape(), unwritten), bytes);
        inputs = inputs_of(in.view, in.view, in.view);
        inputs.attention_mask = shifted_mask.view;
        const CCall call(inputs, {.output = out.view});
        check_ok(headwise_session_run(session, &call.inputs, &call.outputs));
        CHECK(same_bits(copy_of(out.view), expected));
      }
      const Shifted good(x, 0), bad(x, 1), bad_mask(mask, 1);
      const auto refuse = [&](const TensorView& query, const TensorView& at, const MutableTensorView& output) {
        AttentionInputs spoiled = inputs_of(query, query, query);
        spoiled.attention_mask = at;
        const CCall call(spoiled, {.output = output});
        check_invalid({"multiple of the size"}, headwise_session_run(session, &call.inputs, &call.outputs));
      };
      const Shifted out(x, 0), bad_out(x, 1);
      refuse(bad.view, mask, out.view);
      refuse(good.view, bad_mask.view, out.view);
      refuse(good.view, mask, bad_out.view);
    }
  }
}
