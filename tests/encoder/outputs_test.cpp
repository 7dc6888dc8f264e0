// Types, strides and combinations of what a call gives.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "models.hpp"

using namespace headwise;

namespace {

const std::vector<std::int64_t> lengths{4, 9, 1};

// A tensor of another type whose elements lie 2 apart.
struct Spread {
  Tensor memory;
  MutableTensorView view;
  Spread(DType dtype, const Dims& shape) : memory(dtype, {2 * element_count(shape)}) {
    Dims strides = contiguous_strides(shape);
    for (int axis = 0; axis < strides.rank(); ++axis) strides[axis] *= 2;
    view = MutableTensorView(memory.mutable_view().data, dtype, shape, strides);
  }
};

bool same_as(const Spread& got, const Tensor& wanted) {
  const Tensor a = convert(got.view, DType::f32), b = convert(convert(wanted, got.view.dtype), DType::f32);
  return equal_bits(a, b);
}

}  // namespace

TEST_CASE("outputs: any float type and strides, rounded once") {
  const ModelFolder folder;
  const Encoder encoder = folder.load();
  const Tokens tokens(lengths, 50);
  const EncoderResults wanted = run(encoder, tokens);
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    CAPTURE(dtype_name(dtype));
    Spread hidden(dtype, wanted.hidden.shape()), states(dtype, wanted.states.shape());
    Spread attention(dtype, wanted.attention.shape()), embedding(dtype, wanted.embedding.shape());
    EncoderOutputs outputs{hidden.view, states.view, attention.view, embedding.view, Pooling::cls, false};
    EncoderSession(encoder, {.threads = 2}).run(tokens.inputs(), outputs);
    CHECK(same_as(hidden, wanted.hidden));
    CHECK(same_as(states, wanted.states));
    CHECK(same_as(attention, wanted.attention));
    EncoderResults first(encoder.config(), tokens);
    EncoderOutputs cls = first.outputs();
    cls.pooling = Pooling::cls;
    EncoderSession(encoder).run(tokens.inputs(), cls);
    CHECK(same_as(embedding, first.embedding));
  }
}

TEST_CASE("outputs: ids of either type and any strides give the same") {
  const ModelFolder folder;
  const Encoder encoder = folder.load();
  const Tokens tokens(lengths, 50);
  const EncoderResults wanted = run(encoder, tokens);
  const std::int64_t rows = tokens.ids.size();
  Tensor backwards(DType::i32, {rows}), starts = convert(tokens.starts, DType::i32);
  for (std::int64_t i = 0; i < rows; ++i) {
    backwards.data<std::int32_t>()[rows - 1 - i] = static_cast<std::int32_t>(tokens.ids.data<std::int64_t>()[i]);
  }
  EncoderInputs inputs = tokens.inputs();
  inputs.token_ids = TensorView(backwards.data<std::int32_t>() + rows - 1, DType::i32, {rows}, {-1});
  inputs.cumulative_lengths = starts.view();
  EncoderResults results(encoder.config(), tokens);
  EncoderSession(encoder).run(inputs, results.outputs());
  CHECK(equal_bits(results, wanted));
}

TEST_CASE("outputs: the last of the hidden states is hidden, and token types count") {
  const ModelFolder folder;
  const Encoder encoder = folder.load();
  const Tokens tokens(lengths, 50);
  EncoderResults results = run(encoder, tokens);
  const float* last = results.states.data() + 3 * results.hidden.size();
  CHECK(std::memcmp(last, results.hidden.data(), sizeof(float) * std::size_t(results.hidden.size())) == 0);
  EncoderInputs without = tokens.inputs();
  without.token_types = {};
  EncoderResults zeros(encoder.config(), tokens), none(encoder.config(), tokens);
  EncoderSession session(encoder);
  session.run(without, none.outputs());
  CHECK_FALSE(equal_bits(results.hidden, none.hidden));
  Tensor types(DType::i32, tokens.ids.shape());
  without.token_types = types.view();
  session.run(without, zeros.outputs());
  CHECK(equal_bits(zeros, none));
}

TEST_CASE("outputs: a sequence without tokens has an embedding of zeros, and a batch without sequences is none") {
  const ModelFolder folder;
  const Encoder encoder = folder.load();
  const Tokens tokens({0, 3, 0}, 50);
  for (const Pooling pooling : {Pooling::mean, Pooling::cls, Pooling::max}) {
    EncoderResults results(encoder.config(), tokens);
    EncoderOutputs outputs = results.outputs();
    outputs.pooling = pooling;
    outputs.normalize = true;
    EncoderSession(encoder).run(tokens.inputs(), outputs);
    const float* embedding = results.embedding.data();
    for (int i = 0; i < 64; ++i) {
      CHECK(embedding[i] == 0);
      CHECK(embedding[128 + i] == 0);
    }
  }
  run(encoder, Tokens({}, 50));
  run(encoder, Tokens({0}, 50), {.threads = 2, .schedule = Schedule::deep});
}

TEST_CASE("outputs: a NaN in a table reaches the rows of its token and the sequence, not those of others") {
  ModelFolder folder;
  folder.tensor("embeddings.word_embeddings.weight").data()[7 * 64] = std::numeric_limits<float>::quiet_NaN();
  const Encoder encoder = folder.load();
  Tokens tokens({4, 5}, 5);
  tokens.ids.data<std::int64_t>()[2] = 7;
  for (const Pooling pooling : {Pooling::mean, Pooling::max}) {
    EncoderResults results(encoder.config(), tokens);
    EncoderOutputs outputs = results.outputs();
    outputs.pooling = pooling;
    EncoderSession(encoder, {.threads = 2}).run(tokens.inputs(), outputs);
    CHECK(std::isnan(results.embedding.data()[0]));
    CHECK(std::isnan(results.hidden.data()[0]));
    CHECK(std::isfinite(results.embedding.data()[64]));
    CHECK(std::isfinite(results.hidden.data()[4 * 64]));
  }
}
