// Every tensor that does not fit is refused by name before anything is written.
#include "spoiled_call.hpp"

using namespace headwise;

TEST_CASE("errors: the call that the other tests spoil is right") {
  LayerCall call;
  const MultiHeadAttention model(random_weights(call.config, 1));
  Session(model, {1, Schedule::automatic}).run(call.in, call.out);
  CHECK_FALSE(call.untouched());
}

TEST_CASE("errors: a tensor that is missing, or of another type") {
  const std::pair<const char*, TensorView AttentionInputs::*> inputs[] = {
      {"query", &AttentionInputs::query}, {"key", &AttentionInputs::key}, {"value", &AttentionInputs::value}};
  for (const auto& [name, member] : inputs) {
    expect_refused({name, "missing"}, [&, m = member](LayerCall& call) { call.in.*m = {}; });
    expect_refused({name, "must be f32", "i32"},
                   [&, m = member](LayerCall& call) { call.in.*m = retyped(call.in.*m, DType::i32); });
  }
  for (const auto& [name, member] : {inputs[1], inputs[2]}) {
    expect_refused({name, "f16", "expected f32"},
                   [&, m = member](LayerCall& call) { call.in.*m = retyped(call.in.*m, DType::f16); });
  }
  expect_refused({"output", "missing"}, [](LayerCall& call) { call.out.output = {}; });
  expect_refused({"output", "must be f32", "f64"},
                 [](LayerCall& call) { call.out.output = retyped(call.out.output, DType::f64); });
  expect_refused({"attention", "must be f32", "i32"},
                 [](LayerCall& call) { call.out.attention = retyped(call.out.attention, DType::i32); });
  expect_refused({"average_attention", "must be f32", "f64"},
                 [](LayerCall& call) { call.out.average_attention = retyped(call.out.average_attention, DType::f64); });
}

TEST_CASE("errors: a tensor without memory") {
  const std::pair<const char*, TensorView AttentionInputs::*> inputs[] = {
      {"query", &AttentionInputs::query},
      {"key", &AttentionInputs::key},
      {"value", &AttentionInputs::value},
      {"attention_mask", &AttentionInputs::attention_mask},
      {"key_padding_mask", &AttentionInputs::key_padding_mask},
      {"key_lengths", &AttentionInputs::key_lengths}};
  for (const auto& [name, member] : inputs) {
    expect_refused({name, "null"}, [&, m = member](LayerCall& call) { (call.in.*m).data = nullptr; });
  }
  expect_refused({"output", "null"}, [](LayerCall& call) { call.out.output.data = nullptr; });
  expect_refused({"attention", "null"}, [](LayerCall& call) { call.out.attention.data = nullptr; });
  expect_refused({"average_attention", "null"}, [](LayerCall& call) { call.out.average_attention.data = nullptr; });
}

TEST_CASE("errors: shapes of inputs") {
  expect_shapes_refused("query", {"expected"}, {{2, 3, 9}, {8}, {}, {2, 2, 3, 8}}, &AttentionInputs::query);
  expect_shapes_refused("key", {"expected"}, {{2, 5, 8}, {3, 5, 6}, {6}}, &AttentionInputs::key);
  expect_shapes_refused("value", {"expected [2, 5, 4]"}, {{2, 5, 5}, {2, 4, 4}, {1, 5, 4}}, &AttentionInputs::value);
}

TEST_CASE("errors: shapes and strides of outputs") {
  expect_refused({"output", "[2, 3, 8]", "expected [2, 3, 7]"}, [](LayerCall& call) {
    call.out.output = reshaped(call.out.output, {2, 3, 8});
  });
  expect_refused({"attention", "[2, 2, 3, 4]", "expected [2, 2, 3, 5]"}, [](LayerCall& call) {
    call.out.attention = reshaped(call.out.attention, {2, 2, 3, 4});
  });
  expect_refused({"average_attention", "[1, 3, 5]", "expected [2, 3, 5]"}, [](LayerCall& call) {
    call.out.average_attention = reshaped(call.out.average_attention, {3, 5});
  });
  expect_refused({"output", "strides", "overwrite each other"},
                 [](LayerCall& call) { call.out.output.strides[1] = 0; });
  expect_refused({"attention", "strides", "overwrite each other"},
                 [](LayerCall& call) { call.out.attention.strides[0] = 0; });
  expect_refused({"average_attention", "strides", "overwrite each other"},
                 [](LayerCall& call) { call.out.average_attention.strides[2] = 0; });
}

TEST_CASE("errors: outputs in the memory of inputs or of other outputs") {
  LayerCall call;
  call.config = {};
  call.config.num_heads = 2;
  call.config.model_dim = 8;
  const MultiHeadAttention model(random_weights(call.config, 1));
  Session session(model, {1, Schedule::automatic});
  Tensor x({2, 4, 8}), weights({2, 2, 4, 4}), y({2, 4, 8});
  AttentionInputs in = inputs_of(x, x, x);
  expect_error(invalid, {"output", "overlaps query"}, [&] { session.run(in, {x.mutable_view(), {}, {}}); });
  in.value = y.view();
  expect_error(invalid, {"output", "overlaps value"}, [&] { session.run(in, {y.mutable_view(), {}, {}}); });
  in.value = x.view();
  in.attention_mask = TensorView(weights.data() + 48, DType::f32, {4, 4});
  expect_error(invalid, {"attention", "overlaps attention_mask"}, [&] {
    session.run(in, {y.mutable_view(), weights.mutable_view(), {}});
  });
  in.attention_mask = {};
  const MutableTensorView inside(y.data() + 32, DType::f32, {2, 4, 4});
  expect_error(invalid, {"average_attention", "overlaps output"}, [&] {
    session.run(in, {y.mutable_view(), {}, inside});
  });
}

TEST_CASE("errors: a model for self-attention alone refuses other inputs") {
  AttentionConfig config;
  config.model_dim = 8;
  config.num_heads = 2;
  const MultiHeadAttention model(random_weights(config, 1), {"", true});
  Session session(model, {1, Schedule::automatic});
  const Tensor x({2, 4, 8}), other({2, 4, 8});
  Results results = make_results(model, inputs_of(x, x, x));
  session.run(inputs_of(x, x, x), results.outputs());
  for (const AttentionInputs& inputs : {inputs_of(x, other, other), inputs_of(x, x, other), inputs_of(other, x, x)}) {
    expect_error(invalid, {"self_attention_only"}, [&] { session.run(inputs, results.outputs()); });
  }
}

TEST_CASE("errors: sizes that no memory has are refused, not wrapped around") {
  AttentionConfig config;
  config.model_dim = 8;
  config.num_heads = 2;
  const MultiHeadAttention model(random_weights(config, 1));
  const MultiHeadAttention heads = MultiHeadAttention::without_projections(config);
  const Tensor x({1, 1, 8}), q({1, 2, 1, 4});
  Tensor y({1, 1, 8}), z({1, 2, 1, 4});
  for (const std::int64_t keys : {std::int64_t{1} << 50, std::int64_t{1} << 58, std::int64_t{1} << 61, INT64_MAX}) {
    CAPTURE(keys);
    const TensorView key(x.view().data, DType::f32, {1, keys, 8}, {0, 0, 1});
    const TensorView head_key(q.view().data, DType::f32, {1, 2, keys, 4}, {0, 0, 0, 1});
    Session session(model, {2, Schedule::automatic}), heads_session(heads, {2, Schedule::automatic});
    expect_error(invalid, {}, [&] { session.explain(inputs_of(x, key, key), {y.mutable_view(), {}, {}}); });
    expect_error(invalid, {}, [&] {
      heads_session.explain(inputs_of(q, head_key, head_key), {z.mutable_view(), {}, {}});
    });
  }
  const TensorView negative(x.view().data, DType::f32, {1, -1, 8}, {8, 8, 1});
  expect_error(invalid, {}, [&] { Session(model).run(inputs_of(x, negative, negative), {y.mutable_view(), {}, {}}); });
}

TEST_CASE("errors: strides that do not fit their shape, and outputs that overlap themselves") {
  AttentionConfig config;
  config.model_dim = 8;
  config.num_heads = 2;
  const MultiHeadAttention model(random_weights(config, 1));
  Session session(model, {1, Schedule::automatic});
  Tensor x({2, 4, 8}), y({2, 4, 8});
  const TensorView short_strides(x.view().data, DType::f32, {2, 4, 8}, {8, 1});
  expect_error(invalid, {"query", "strides [8, 1]", "[2, 4, 8]"}, [&] {
    session.run(inputs_of(short_strides, x, x), {y.mutable_view(), {}, {}});
  });
  for (const Dims& strides : {Dims{1, 1, 1}, Dims{0, 8, 1}, Dims{32, 4, 1}}) {
    const MutableTensorView folded(y.data(), DType::f32, {2, 4, 8}, strides);
    expect_error(invalid, {"output", "overwrite each other"}, [&] {
      session.run(inputs_of(x, x, x), {folded, {}, {}});
    });
  }
  const MutableTensorView spread(x.data(), DType::f32, {2, 4, 4}, {32, 8, 2});
  AttentionConfig narrow;
  narrow.model_dim = 4;
  narrow.num_heads = 2;
  const MultiHeadAttention small(random_weights(narrow, 1));
  expect_error(invalid, {"output", "overlaps query"}, [&] {
    Session(small).run(inputs_of(spread, spread, spread), {spread, {}, {}});
  });
}

TEST_CASE("errors: a view to convert or to save needs a stride for every axis") {
  const Tensor x({2, 4});
  const TensorView bad(x.view().data, DType::f32, {2, 4}, {1});
  expect_error(invalid, {"convert", "strides [1]"}, [&] { convert(bad, DType::f64); });
  expect_error(invalid, {"save", "strides [1]"}, [&] { save_npy("never-written.npy", bad); });
}
