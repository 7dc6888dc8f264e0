// Calls through C give what calls through C++ give, to the bit, and refuse what those refuse.
#include "all_outputs.hpp"
#include "c_objects.hpp"
#include "isas.hpp"
#include "model.hpp"

using namespace headwise;

namespace {

bool same_elements(const Tensor& a, const Tensor& b) {
  const auto bytes = static_cast<std::size_t>(a.size()) * dtype_size(a.dtype());
  return a.shape() == b.shape() && (bytes == 0 || std::memcmp(a.view().data, b.view().data, bytes) == 0);
}

void check_same(const AllOutputs& a, const AllOutputs& b) {
  constexpr Tensor AllOutputs::*members[] = {
      &AllOutputs::output,       &AllOutputs::attention,        &AllOutputs::average,     &AllOutputs::top_weights,
      &AllOutputs::top_keys,     &AllOutputs::scores,           &AllOutputs::log_sum_exp, &AllOutputs::column_sums,
      &AllOutputs::head_context, &AllOutputs::head_contribution};
  for (const auto member : members) CHECK(same_elements(a.*member, b.*member));
}

Tensor ids(const Dims& shape, const std::vector<std::int64_t>& values) {
  Tensor result(DType::i64, shape);
  std::copy(values.begin(), values.end(), result.data<std::int64_t>());
  return result;
}

AttentionWeights test_weights() {
  AttentionConfig config = grouped_config();
  config.value_dim = 5;
  config.output_dim = 11;
  config.softcap = 2;
  config.rotary.dim = 6;
  AttentionWeights weights = random_weights(config, 60);
  Random random(61);
  weights.sinks = random_tensor(random, {4});
  weights.query_norm = random_tensor(random, {6});
  weights.key_norm = random_tensor(random, {6});
  return weights;
}

ModelOptions with_contribution(const std::string& isa) {
  return {.isa = isa, .head_contribution = true};
}

// The same call both ways, everything asked for.
struct Pair {
  AttentionWeights weights = test_weights();
  MultiHeadAttention model{weights, with_contribution("")};
  OwnedModel c_handle = c_model(weights, with_contribution(""));

  void check(const AttentionInputs& inputs, ScoreStage stage = ScoreStage::scaled,
             const AttentionOutputs& chosen = {}) const {
    const Dims& q = inputs.query.shape;
    const OutputSizes sizes{q[0], q[1], inputs.key.shape[1], 2};
    AllOutputs expected = make_all_outputs(model, sizes), actual = make_all_outputs(model, sizes);
    const auto outputs_of = [&](AllOutputs& all) {
      AttentionOutputs views = all.views();
      views.score_stage = stage;
      views.attention_heads = chosen.attention_heads;
      views.attention_queries = chosen.attention_queries;
      return views;
    };
    Session(model, {.threads = 2}).run(inputs, outputs_of(expected));
    const CCall call(inputs, outputs_of(actual));
    check_ok(headwise_session_run(c_session(c_handle, 2), &call.inputs, &call.outputs));
    check_same(actual, expected);
  }
};

}  // namespace

TEST_CASE("C calls: every output has the bits of C++, with every argument of a call") {
  Random random(1);
  const Pair pair;
  const Tensor x = random_tensor(random, {2, 7, 24}, 2), y = random_tensor(random, {2, 9, 24}, 2);
  const Tensor mask = random_tensor(random, {7, 9}), gate = random_tensor(random, {4});
  const Tensor angles = random_tensor(random, {16, 3});
  const Tensor lengths = ids({2}, {5, 7}), documents = ids({2, 7}, {0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3}),
               other_documents = ids({7}, {0, 1, 1, 2, 2, 3, 3});
  const Tensor positions = ids({7}, {0, 1, 2, 5, 6, 7, 8}), heads = ids({2}, {1, 3});
  Tensor padding(DType::boolean, {2, 9});
  std::fill_n(padding.data<bool>() + 5, 4, true);
  const AttentionInputs self = inputs_of(x, x, x), cross = inputs_of(x, y, y);
  pair.check(self);
  pair.check(cross, ScoreStage::capped);
  AttentionInputs inputs = cross;
  inputs.attention_mask = mask.view();
  pair.check(inputs, ScoreStage::masked);
  for (const BooleanMask meaning : {BooleanMask::keep, BooleanMask::drop}) {
    inputs.key_padding_mask = inputs.attention_mask = padding.view();
    inputs.attention_mask.shape = {2, 1, 1, 9};
    inputs.attention_mask.strides = {9, 9, 9, 1};
    inputs.key_padding_meaning = inputs.attention_mask_meaning = meaning;
    pair.check(inputs);
  }
  for (const CausalAlignment alignment : {CausalAlignment::upper_left, CausalAlignment::lower_right}) {
    inputs = cross;
    inputs.causal = true;
    inputs.causal_alignment = alignment;
    inputs.window = {2, 1};
    pair.check(inputs);
  }
  inputs = self;
  inputs.query_lengths = inputs.key_lengths = lengths.view();
  pair.check(inputs);
  inputs = self;
  inputs.causal = true;
  inputs.query_offsets = lengths.view();
  inputs.query_documents = inputs.key_documents = documents.view();
  pair.check(inputs);
  inputs.key_documents = other_documents.view();
  pair.check(inputs);
  inputs = self;
  inputs.head_gate = gate.view();
  inputs.position_ids = positions.view();
  pair.check(inputs);
  inputs.key_position_ids = positions.view();
  inputs.head_gate = {};
  inputs.heads = heads.view();
  pair.check(inputs);
  inputs = self;
  inputs.rotary_cos = inputs.rotary_sin = angles.view();
  pair.check(inputs);
}

TEST_CASE("C calls: sessions on threads that they share, and that outlive the executor's handle") {
  Random random(7);
  const Pair pair;
  const Tensor x = random_tensor(random, {2, 70, 24});
  const Tensor expected = run(pair.model, inputs_of(x, x, x)).output;
  OwnedExecutor executor;
  std::int32_t threads = 0;
  check_ok(headwise_executor_create(3, executor.to()));  // more than the tests' machines have
  check_ok(headwise_executor_threads(executor, &threads));
  CHECK(threads <= 3);
  auto options = ready<headwise_session_options>();
  options.executor = executor;
  options.schedule = HEADWISE_SCHEDULE_WIDE;
  OwnedSession session;
  check_ok(headwise_session_create(pair.c_handle, &options, session.to()));
  std::int32_t used = 0;
  check_ok(headwise_session_threads(session, &used));
  CHECK(used == threads);
  headwise_executor_free(std::exchange(executor.handle, nullptr));
  Tensor y(expected.shape());
  const CCall call(inputs_of(x, x, x), {.output = y.mutable_view()});
  check_ok(headwise_session_run(session, &call.inputs, &call.outputs));
  CHECK(same_bits(y, expected));
  for (const std::int32_t wrong : {-1, HEADWISE_MAX_THREADS + 1, INT32_MAX, INT32_MIN}) {
    check_invalid({"threads"}, headwise_executor_create(wrong, executor.to()));
  }
}

TEST_CASE("C calls: chosen heads and queries") {
  Random random(2);
  const Pair pair;
  const Tensor x = random_tensor(random, {1, 4, 24}, 2);
  const Tensor heads = ids({4}, {3, 1, 0, 2}), queries = ids({4}, {2, 0, 3, 1});
  AttentionOutputs chosen;
  chosen.attention_heads = heads.view();
  chosen.attention_queries = queries.view();
  pair.check(inputs_of(x, x, x), ScoreStage::masked, chosen);
}

TEST_CASE("C calls: ragged batches") {
  Random random(3);
  const Pair pair;
  const Tensor x = random_tensor(random, {9, 24});
  const Tensor starts = ids({3}, {0, 4, 9});
  AttentionInputs inputs = inputs_of(x, x, x);
  inputs.cumulative_query_lengths = inputs.cumulative_key_lengths = starts.view();
  Tensor expected({9, 11}), actual({9, 11});
  Session(pair.model).run(inputs, {.output = expected});
  const CCall call(inputs, {.output = actual.mutable_view()});
  check_ok(headwise_session_run(c_session(pair.c_handle), &call.inputs, &call.outputs));
  CHECK(same_bits(actual, expected));
}

TEST_CASE("C calls: every ISA, schedule, half type and model option") {
  Random random(4);
  AttentionConfig config = grouped_config();
  const AttentionWeights weights = random_weights(config, 4);
  const Tensor x = random_tensor(random, {3, 8, 24});
  for (const std::string& isa : running_isas()) {
    for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
      for (const bool only : {false, true}) {
        CAPTURE(isa);
        CAPTURE(dtype_name(dtype));
        const Tensor in = convert(x, dtype);
        Tensor expected(dtype, x.shape()), actual(dtype, x.shape());
        const ModelOptions options{.isa = isa, .self_attention_only = only};
        const MultiHeadAttention model(weights, options);
        const OwnedModel handle = c_model(weights, options);
        const char* name = nullptr;
        check_ok(headwise_model_isa(handle, &name));
        CHECK(std::string(name) == isa);
        for (const Schedule schedule : {Schedule::wide, Schedule::deep}) {
          const AttentionInputs inputs = inputs_of(in, in, in);
          Session(model, {2, schedule}).run(inputs, {.output = expected});
          const CCall call(inputs, {.output = actual.mutable_view()});
          check_ok(headwise_session_run(c_session(handle, 2, static_cast<headwise_schedule>(schedule)), &call.inputs,
                                        &call.outputs));
          CHECK(same_elements(actual, expected));
        }
      }
    }
  }
}

TEST_CASE("C calls: without projections, in f64 too, and shared models that outlive their first handle") {
  Random random(5);
  const Tensor x = convert(random_tensor(random, {2, 4, 5, 6}), DType::f64);
  AttentionWeights weights;
  weights.config = heads_config(x, x, x);
  Tensor expected(DType::f64, x.shape()), actual(DType::f64, x.shape());
  const AttentionInputs inputs = inputs_of(x, x, x);
  Session(MultiHeadAttention::without_projections(weights, {.isa = "reference"})).run(inputs, {.output = expected});
  OwnedModel shared;
  {
    const OwnedModel model = c_model(weights, {.isa = "reference"});
    check_ok(headwise_model_share(model, shared.to()));
  }
  const OwnedSession session = c_session(shared);
  headwise_model_free(std::exchange(shared.handle, nullptr));
  const CCall call(inputs, {.output = actual.mutable_view()});
  check_ok(headwise_session_run(session, &call.inputs, &call.outputs));
  CHECK(same_elements(actual, expected));
}

TEST_CASE("C calls: enumerations, flags, ranks, types and pointers of a call that are none") {
  Random random(6);
  const Pair pair;
  const Tensor x = random_tensor(random, {2, 7, 24});
  Tensor y({2, 7, 11});
  const OwnedSession session = c_session(pair.c_handle);
  const AttentionInputs inputs = inputs_of(x, x, x);
  const AttentionOutputs outputs{.output = y.mutable_view()};
  const auto refuse = [&](const std::vector<std::string>& words, const auto& spoil) {
    CCall call(inputs, outputs);
    spoil(call);
    check_invalid(words, headwise_session_run(session, &call.inputs, &call.outputs));
  };
  for (const std::int32_t value : {-1, 3, INT32_MAX, INT32_MIN}) {
    refuse({"attention_mask_meaning"}, [&](CCall& c) { c.inputs.attention_mask_meaning = value; });
    refuse({"key_padding_meaning"}, [&](CCall& c) { c.inputs.key_padding_meaning = value; });
    refuse({"causal_alignment"}, [&](CCall& c) { c.inputs.causal_alignment = value; });
    refuse({"score_stage"}, [&](CCall& c) { c.outputs.score_stage = value; });
    refuse({"causal", "0 to 1"}, [&](CCall& c) { c.inputs.causal = value; });
  }
  const auto spoiled = [&](const auto& spoil, const std::vector<std::string>& words) {
    headwise_view view = *Views().add(x);
    view.strides = nullptr;
    spoil(view);
    for (const headwise_view* headwise_inputs::*member :
         {&headwise_inputs::query, &headwise_inputs::key, &headwise_inputs::value}) {
      refuse(words, [&](CCall& c) { c.inputs.*member = &view; });
    }
    headwise_mutable_view output{const_cast<void*>(view.data), view.dtype, view.rank, {}, nullptr};
    std::copy_n(view.shape, HEADWISE_MAX_RANK, output.shape);
    refuse(words, [&](CCall& c) { c.outputs.output = &output; });
  };
  for (const std::int32_t rank : {-1, 9, INT32_MAX, INT32_MIN}) {
    spoiled([&](headwise_view& v) { v.rank = rank; }, {"rank", std::to_string(rank), "0 to 8"});
  }
  for (const std::int32_t dtype : {-1, 13, INT32_MAX, INT32_MIN}) {
    spoiled([&](headwise_view& v) { v.dtype = dtype; }, {"dtype", std::to_string(dtype)});
  }
  spoiled([](headwise_view& v) { v.shape[1] = -1; }, {"negative"});
  spoiled([](headwise_view& v) { v.shape[0] = v.shape[1] = INT64_MAX; }, {"cannot be"});
  spoiled([](headwise_view& v) { v.data = nullptr; }, {});
  spoiled([](headwise_view& v) { v.rank = 0; }, {});
  refuse({"query"}, [](CCall& c) { c.inputs.query = nullptr; });
  refuse({"output"}, [](CCall& c) { c.outputs.output = nullptr; });
}
