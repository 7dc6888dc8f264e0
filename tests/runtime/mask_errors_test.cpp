// Every mask that does not fit, or does not say what it means, is refused by name before anything is written.
#include <climits>

#include "spoiled_call.hpp"

using namespace headwise;

TEST_CASE("errors: attention masks") {
  expect_shapes_refused("attention_mask", {"1 to 4 axes"}, {{}, {1, 2, 2, 3, 5}}, &AttentionInputs::attention_mask);
  expect_shapes_refused("attention_mask", {"is not 1"}, {{4, 5}, {3, 6}, {3, 3, 5}, {5, 1, 3, 5}},
                        &AttentionInputs::attention_mask);
  expect_refused({"attention_mask", "bool or f32", "i64"},
                 [](LayerCall& call) { call.in.attention_mask = retyped(call.in.attention_mask, DType::i64); });
  expect_refused({"attention_mask", "BooleanMask::keep", "BooleanMask::drop"},
                 [](LayerCall& call) { call.in.attention_mask_meaning = BooleanMask::unspecified; });
}

TEST_CASE("errors: key padding masks") {
  expect_shapes_refused("key_padding_mask", {"expected [2, 5]"}, {{4}, {2, 4}, {2, 1, 5}},
                        &AttentionInputs::key_padding_mask);
  expect_shapes_refused("key_padding_mask", {"is not 1 or 2"}, {{3, 5}}, &AttentionInputs::key_padding_mask);
  expect_refused({"key_padding_mask", "bool or f32", "f64"},
                 [](LayerCall& call) { call.in.key_padding_mask = retyped(call.in.key_padding_mask, DType::f64); });
  expect_refused({"key_padding_mask", "BooleanMask"},
                 [](LayerCall& call) { call.in.key_padding_meaning = BooleanMask::unspecified; });
}

TEST_CASE("errors: key lengths") {
  expect_shapes_refused("key_lengths", {"expected [2]"}, {{1}, {3}, {2, 1}, {}}, &AttentionInputs::key_lengths);
  expect_refused({"key_lengths", "i32 or i64", "f32"},
                 [](LayerCall& call) { call.in.key_lengths = retyped(call.in.key_lengths, DType::f32); });
  for (const std::int32_t length : {-1, 6, INT_MIN, INT_MAX}) {
    expect_refused({"key_lengths", std::to_string(length), "sequence 1", "0 to 5"},
                   [&](LayerCall& call) { call.lengths.data<std::int32_t>()[1] = length; });
  }
  for (const std::int64_t length : {INT64_MIN, INT64_MAX, std::int64_t{1} << 32}) {
    Tensor lengths(DType::i64, {2});
    lengths.data<std::int64_t>()[0] = length;
    expect_refused({"key_lengths", std::to_string(length), "sequence 0"},
                   [&](LayerCall& call) { call.in.key_lengths = lengths.view(); });
  }
}

TEST_CASE("errors: causal without an alignment that matters") {
  expect_refused({"causal", "Lq = 3", "Lk = 5", "upper_left", "lower_right"},
                 [](LayerCall& call) { call.in.causal = true; });
}
