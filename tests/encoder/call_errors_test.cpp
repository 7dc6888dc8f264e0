// Arguments that do not fit: refused before anything is written, with a message that says what to change.
#include <doctest/doctest.h>

#include <functional>

#include "expect_error.hpp"
#include "models.hpp"

using namespace headwise;

namespace {

struct Trial {
  const char* name;
  std::function<void(EncoderInputs&, EncoderOutputs&)> spoil;
  std::vector<std::string> words;
};

struct Fixture {
  ModelFolder folder;
  Encoder encoder = folder.load();
  Tokens tokens{{3, 5}, 50};
  EncoderResults results{encoder.config(), tokens};
  EncoderSession session{encoder, {.threads = 2}};

  void expect(const Trial& trial) {
    CAPTURE(trial.name);
    EncoderInputs inputs = tokens.inputs();
    EncoderOutputs outputs = results.outputs();
    trial.spoil(inputs, outputs);
    expect_error(ErrorCode::invalid_argument, trial.words, [&] { session.run(inputs, outputs); });
    expect_error(ErrorCode::invalid_argument, trial.words, [&] { session.explain(inputs, outputs); });
    CHECK(results.hidden.data()[0] == EncoderResults::unwritten);
    CHECK(results.embedding.data()[0] == EncoderResults::unwritten);
  }
};

std::int64_t numbers[16];

// Eight ids of which one is another number.
TensorView ids_with(std::int64_t place, std::int64_t number) {
  std::fill_n(numbers, 16, 1);
  numbers[place] = number;
  return TensorView(numbers, DType::i64, {8});
}
TensorView starts_of(std::initializer_list<std::int64_t> starts) {
  std::copy(starts.begin(), starts.end(), numbers);
  return TensorView(numbers, DType::i64, {static_cast<std::int64_t>(starts.size())});
}

float floats[4096];

}  // namespace

TEST_CASE("call errors: inputs") {
  const Trial trials[] = {
      {"no ids", [](auto& i, auto&) { i.token_ids = {}; }, {"token_ids"}},
      {"floats", [](auto& i, auto&) { i.token_ids = TensorView(floats, DType::f32, {8}); }, {"token_ids", "f32"}},
      {"two axes",
       [](auto& i, auto&) {
         i.token_ids = TensorView(numbers, DType::i64, {1, 8});
       },
       {"token_ids", "[1, 8]", "[rows]"}},
      {"no memory", [](auto& i, auto&) { i.token_ids.data = nullptr; }, {"token_ids"}},
      {"id past the vocabulary",
       [](auto& i, auto&) { i.token_ids = ids_with(6, 50); },
       {"token_ids", "50", "at 6", "0 to 49"}},
      {"negative id", [](auto& i, auto&) { i.token_ids = ids_with(0, -1); }, {"token_ids", "-1", "at 0"}},
      {"huge id", [](auto& i, auto&) { i.token_ids = ids_with(1, INT64_MAX); }, {"token_ids", "at 1"}},
      {"type", [](auto& i, auto&) { i.token_types = ids_with(4, 2); }, {"token_types", "2 at 4", "0 to 1"}},
      {"types of another length",
       [](auto& i, auto&) { i.token_types = TensorView(numbers, DType::i64, {7}); },
       {"token_types", "[7]", "[8]"}},
      {"starts at 1",
       [](auto& i, auto&) {
         i.cumulative_lengths = starts_of({1, 8});
       },
       {"cumulative_lengths", "1 at 0"}},
      {"falls",
       [](auto& i, auto&) {
         i.cumulative_lengths = starts_of({0, 5, 3, 8});
       },
       {"cumulative_lengths", "3 at 2", "5 to 8"}},
      {"ends early",
       [](auto& i, auto&) {
         i.cumulative_lengths = starts_of({0, 7});
       },
       {"cumulative_lengths", "7 at 1"}},
      {"ends late",
       [](auto& i, auto&) {
         i.cumulative_lengths = starts_of({0, 9});
       },
       {"cumulative_lengths", "9 at 1"}},
      {"nothing",
       [](auto& i, auto&) { i.cumulative_lengths = TensorView(numbers, DType::i64, {0}); },
       {"cumulative_lengths", "[B + 1]"}},
      {"far too many",
       [](auto& i, auto&) { i.cumulative_lengths = TensorView(numbers, DType::i64, {INT64_MAX}, {0}); },
       {"cumulative_lengths"}},
  };
  Fixture fixture;
  for (const Trial& trial : trials) fixture.expect(trial);
}

TEST_CASE("call errors: sequences that are longer than the model") {
  Fixture fixture;
  const Tokens one({301}, 50), second({3, 301}, 50);
  EncoderInputs alone;
  alone.token_ids = one.ids.view();
  const auto run_with = [&](const EncoderInputs& inputs) {
    EncoderOutputs outputs = fixture.results.outputs();
    fixture.session.run(inputs, outputs);
  };
  expect_error(ErrorCode::invalid_argument, {"token_ids", "sequence 0", "301", "at most 300"},
               [&] { run_with(alone); });
  expect_error(ErrorCode::invalid_argument, {"cumulative_lengths", "sequence 1", "301", "at most 300"},
               [&] { run_with(second.inputs()); });
  // A stride of 0 claims any length.
  alone.token_ids = TensorView(numbers, DType::i64, {std::int64_t{1} << 40}, {0});
  expect_error(ErrorCode::invalid_argument, {"token_ids", "at most 300"}, [&] { run_with(alone); });
}

TEST_CASE("call errors: outputs") {
  const Trial trials[] = {
      {"nothing", [](auto&, auto& o) { o = {}; }, {"outputs", "hidden_states"}},
      {"rows",
       [](auto&, auto& o) {
         o.hidden = MutableTensorView(floats, DType::f32, {7, 64});
       },
       {"hidden", "[7, 64]", "[8, 64]"}},
      {"layers",
       [](auto&, auto& o) {
         o.hidden_states = MutableTensorView(floats, DType::f32, {3, 8, 64});
       },
       {"hidden_states", "[4, 8, 64]"}},
      {"attention",
       [](auto&, auto& o) {
         o.attention = MutableTensorView(floats, DType::f32, {3, 2, 4, 5, 4});
       },
       {"attention", "[3, 2, 4, 5, 5]"}},
      {"batch",
       [](auto&, auto& o) {
         o.embedding = MutableTensorView(floats, DType::f32, {1, 64});
       },
       {"embedding", "[2, 64]"}},
      {"doubles", [](auto&, auto& o) { o.embedding.dtype = DType::f64; }, {"embedding", "f64"}},
      {"integers", [](auto&, auto& o) { o.hidden.dtype = DType::i32; }, {"hidden", "i32"}},
      {"a stride of 0",
       [](auto&, auto& o) {
         o.hidden = MutableTensorView(floats, DType::f32, {8, 64}, {0, 1});
       },
       {"hidden"}},
      {"one memory", [](auto&, auto& o) { o.hidden_states.data = o.hidden.data; }, {"hidden_states", "hidden"}},
      {"over its input",
       [](auto& i, auto& o) { o.embedding.data = const_cast<void*>(i.token_ids.data); },
       {"embedding", "token_ids"}},
      {"pooling", [](auto&, auto& o) { o.pooling = static_cast<Pooling>(3); }, {"pooling", "3"}},
  };
  Fixture fixture;
  for (const Trial& trial : trials) fixture.expect(trial);
}

TEST_CASE("call errors: a model without token types takes none but 0") {
  const Encoder encoder = Encoder::load(HEADWISE_TEST_DATA "/encoders/distilbert");
  Tensor ids(DType::i32, {3}), types(DType::i32, {3}), hidden({3, 12});
  EncoderInputs inputs;
  inputs.token_ids = ids.view();
  inputs.token_types = types.view();
  EncoderSession session(encoder);
  const EncoderOutputs outputs{.hidden = hidden.mutable_view()};
  session.run(inputs, outputs);
  types.data<std::int32_t>()[2] = 1;
  expect_error(ErrorCode::invalid_argument, {"token_types", "1 at 2"}, [&] { session.run(inputs, outputs); });
}

TEST_CASE("call errors: sessions and layers that cannot be") {
  const ModelFolder folder;
  const Encoder encoder = folder.load();
  expect_error(ErrorCode::invalid_argument, {"threads"}, [&] { EncoderSession(encoder, {.threads = -1}); });
  expect_error(ErrorCode::invalid_argument, {"threads"},
               [&] { EncoderSession(encoder, {.threads = Session::max_threads + 1}); });
  expect_error(ErrorCode::invalid_argument, {"schedule"},
               [&] { EncoderSession(encoder, {.schedule = static_cast<Schedule>(9)}); });
  for (const std::int64_t layer : {std::int64_t{-1}, std::int64_t{3}, INT64_MAX}) {
    expect_error(ErrorCode::invalid_argument, {"layer", std::to_string(layer), "0 to 2"},
                 [&] { encoder.attention(layer); });
  }
}
