// A row's bits depend neither on its batch mates nor on threads, schedule, executor or what is asked for.
#include <doctest/doctest.h>

#include <omp.h>

#include "isas.hpp"
#include "models.hpp"

using namespace headwise;

namespace {

const std::vector<std::int64_t> lengths{5, 130, 0, 1, 64, 17, 300, 3, 65};

// The part of a ragged result that belongs to one sequence, held against that of the sequence alone.
void check_alone(const Encoder& encoder, const Tokens& tokens, EncoderResults& all, std::int64_t b) {
  const EncoderConfig& c = encoder.config();
  const std::int64_t first = tokens.starts.data<std::int64_t>()[b],
                     n = tokens.starts.data<std::int64_t>()[b + 1] - first;
  EncoderInputs inputs;
  inputs.token_ids = TensorView(tokens.ids.data<std::int64_t>() + first, DType::i64, {n});
  inputs.token_types = TensorView(tokens.types.data<std::int64_t>() + first, DType::i64, {n});
  Tensor states({c.num_layers + 1, n, c.model_dim}), attention({c.num_layers, 1, c.num_heads, n, n});
  Tensor embedding({1, c.model_dim});
  EncoderOutputs outputs;
  outputs.hidden_states = states.mutable_view();
  outputs.attention = attention.mutable_view();
  outputs.embedding = embedding.mutable_view();
  EncoderSession(encoder, {.threads = 1}).run(inputs, outputs);
  const auto same = [](const float* a, const float* b_, std::int64_t count) {
    return std::memcmp(a, b_, sizeof(float) * static_cast<std::size_t>(count)) == 0;
  };
  CHECK(same(embedding.data(), all.embedding.data() + b * c.model_dim, c.model_dim));
  for (std::int64_t l = 0; l <= c.num_layers; ++l) {
    const float* rows = all.states.data() + (l * tokens.ids.size() + first) * c.model_dim;
    CHECK(same(states.data() + l * n * c.model_dim, rows, n * c.model_dim));
  }
  bool equal = true, zeros = true;
  for (std::int64_t lh = 0; lh < c.num_layers * c.num_heads; ++lh) {
    const std::int64_t l = lh / c.num_heads, h = lh % c.num_heads;
    const float* head =
        all.attention.data() + ((l * tokens.batch() + b) * c.num_heads + h) * tokens.longest * tokens.longest;
    for (std::int64_t i = 0; i < tokens.longest; ++i) {
      const float* row = head + i * tokens.longest;
      if (i < n) equal = equal && same(attention.data() + (lh * n + i) * n, row, n);
      for (std::int64_t j = i < n ? n : 0; j < tokens.longest; ++j) zeros = zeros && row[j] == 0;
    }
  }
  CHECK(equal);
  CHECK(zeros);
}

}  // namespace

TEST_CASE("same bits: a sequence in a ragged batch is the sequence alone, on every ISA") {
  const ModelFolder folder;
  const Tokens tokens(lengths, 50);
  for (const std::string& isa : running_isas()) {
    const Encoder encoder = folder.load(isa);
    EncoderResults all = run(encoder, tokens);
    for (std::int64_t b = 0; b < tokens.batch(); ++b) {
      CAPTURE(isa);
      CAPTURE(b);
      check_alone(encoder, tokens, all, b);
    }
  }
}

TEST_CASE("same bits: for every number of threads, schedule and executor") {
  const ModelFolder folder;
  const Tokens tokens(lengths, 50);
  for (const std::string& isa : running_isas()) {
    const Encoder encoder = folder.load(isa);
    const EncoderResults wanted = run(encoder, tokens, {.threads = 1, .schedule = Schedule::wide});
    for (const Schedule schedule : {Schedule::automatic, Schedule::wide, Schedule::deep}) {
      for (const int threads : {1, 2, 3, 5}) {
        CAPTURE(isa);
        CAPTURE(int(schedule));
        CAPTURE(threads);
        CHECK(equal_bits(run(encoder, tokens, {.threads = threads, .schedule = schedule}), wanted));
      }
    }
    CHECK(equal_bits(run(encoder, tokens, {.executor = std::make_shared<Executor>(2)}), wanted));
  }
}

TEST_CASE("same bits: positions that do not count RoBERTa's padding token, wherever a chunk of rows begins") {
  ModelFolder folder({.positions = 310});
  folder.config.replace(folder.config.find("bert"), 4, "roberta").insert(1, "\"pad_token_id\":3,");
  const Encoder encoder = folder.load();
  const Tokens tokens(lengths, 6);
  EncoderResults wanted = run(encoder, tokens, {.threads = 1});
  for (std::int64_t b = 0; b < tokens.batch(); ++b) check_alone(encoder, tokens, wanted, b);
  for (const Schedule schedule : {Schedule::wide, Schedule::deep}) {
    for (const int threads : {2, 3, 5}) {
      CHECK(equal_bits(run(encoder, tokens, {.threads = threads, .schedule = schedule}), wanted));
    }
  }
}

TEST_CASE("same bits: inside somebody's parallel region") {
  const ModelFolder folder;
  const Encoder encoder = folder.load();
  const Tokens tokens(lengths, 50);
  const EncoderResults wanted = run(encoder, tokens);
  int same = 0;
#pragma omp parallel num_threads(2) reduction(+ : same)
  same += equal_bits(run(encoder, tokens, {.threads = 2}), wanted) ? 1 : 0;
  CHECK(same >= 1);
}

TEST_CASE("same bits: whatever is asked for beside") {
  const ModelFolder folder;
  const Encoder encoder = folder.load();
  const Tokens tokens(lengths, 50);
  EncoderResults wanted = run(encoder, tokens);
  EncoderSession session(encoder, {.threads = 2});
  for (int asked = 1; asked < 16; ++asked) {
    CAPTURE(asked);
    EncoderResults results(encoder.config(), tokens);
    EncoderOutputs outputs;
    if ((asked & 1) != 0) outputs.hidden = results.hidden.mutable_view();
    if ((asked & 2) != 0) outputs.hidden_states = results.states.mutable_view();
    if ((asked & 4) != 0) outputs.attention = results.attention.mutable_view();
    if ((asked & 8) != 0) outputs.embedding = results.embedding.mutable_view();
    session.run(tokens.inputs(), outputs);
    CHECK(((asked & 1) == 0 || equal_bits(results.hidden, wanted.hidden)));
    CHECK(((asked & 2) == 0 || equal_bits(results.states, wanted.states)));
    CHECK(((asked & 4) == 0 || equal_bits(results.attention, wanted.attention)));
    CHECK(((asked & 8) == 0 || equal_bits(results.embedding, wanted.embedding)));
  }
}

TEST_CASE("same bits: a session after calls of other sizes") {
  const ModelFolder folder;
  const Encoder encoder = folder.load();
  EncoderSession session(encoder, {.threads = 2});
  for (const std::vector<std::int64_t>& some :
       {std::vector<std::int64_t>{300, 2}, {1}, {}, {0}, {7, 7, 7}, lengths, {300, 300, 300, 300}, {1}}) {
    const Tokens tokens(some, 50);
    EncoderResults results(encoder.config(), tokens);
    session.run(tokens.inputs(), results.outputs());
    CHECK(equal_bits(results, run(encoder, tokens, {.threads = 1})));
  }
}
