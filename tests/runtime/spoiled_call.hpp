// A right call of a layer, and checks that it is refused once one thing about it is wrong.
#pragma once

#include <doctest/doctest.h>

#include <functional>

#include "calls.hpp"
#include "expect_error.hpp"

inline constexpr auto invalid = headwise::ErrorCode::invalid_argument;

// A call that is right until a test changes one thing: 2 sequences, 3 queries, 5 keys, width 8, 2 heads.
struct LayerCall {
  headwise::AttentionConfig config;
  headwise::Tensor query{{2, 3, 8}}, key{{2, 5, 6}}, value{{2, 5, 4}};
  headwise::Tensor output = filled({2, 3, 7}, unwritten), attention = filled({2, 2, 3, 5}, unwritten),
                   average = filled({2, 3, 5}, unwritten);
  headwise::Tensor mask{headwise::DType::boolean, {3, 5}}, padding{headwise::DType::boolean, {2, 5}},
      lengths{headwise::DType::i32, {2}};
  headwise::AttentionInputs in;
  headwise::AttentionOutputs out;

  LayerCall() {
    config.model_dim = 8;
    config.num_heads = 2;
    config.key_input_dim = 6;
    config.value_input_dim = 4;
    config.output_dim = 7;
    in = inputs_of(query, key, value);
    in.attention_mask = mask.view();
    in.attention_mask_meaning = headwise::BooleanMask::drop;
    in.key_padding_mask = padding.view();
    in.key_padding_meaning = headwise::BooleanMask::drop;
    in.key_lengths = lengths.view();
    out = {output.mutable_view(), attention.mutable_view(), average.mutable_view()};
  }
  bool untouched() const {
    bool result = true;
    for (const headwise::Tensor* tensor : {&output, &attention, &average}) {
      result = result && std::count(tensor->data(), tensor->data() + tensor->size(), unwritten) == tensor->size();
    }
    return result;
  }
};

inline void expect_refused(const std::vector<std::string>& words, const std::function<void(LayerCall&)>& spoil) {
  LayerCall call;
  const headwise::MultiHeadAttention model(headwise::random_weights(call.config, 1));
  headwise::Session session(model, {1, headwise::Schedule::automatic});
  spoil(call);
  expect_error(invalid, words, [&] { session.run(call.in, call.out); });
  expect_error(invalid, words, [&] { session.explain(call.in, call.out); });
  CHECK(call.untouched());
}

template <class View>
View reshaped(View view, const headwise::Dims& shape) {
  return View(view.data, view.dtype, shape);
}

template <class View>
View retyped(View view, headwise::DType dtype) {
  view.dtype = dtype;
  return view;
}

inline void expect_shapes_refused(const char* name, const std::vector<std::string>& words,
                                  const std::vector<headwise::Dims>& shapes,
                                  headwise::TensorView headwise::AttentionInputs::*member) {
  for (const headwise::Dims& shape : shapes) {
    CAPTURE(name);
    CAPTURE(headwise::to_string(shape));
    std::vector<std::string> all = words;
    all.insert(all.end(), {name, headwise::to_string(shape)});
    expect_refused(all, [&](LayerCall& call) { call.in.*member = reshaped(call.in.*member, shape); });
  }
}
