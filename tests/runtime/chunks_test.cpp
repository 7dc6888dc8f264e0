// Rows of layers are cut into chunks that every thread buffers when they are not dense: all lengths around the chunk
// size, other lengths of keys, and a last group that is smaller than the others.
#include <doctest/doctest.h>

#include "calls.hpp"
#include "plan.hpp"

using namespace headwise;

namespace {

// A [B, L, D] tensor whose rows stand 64 floats apart.
struct PaddedRows {
  Tensor memory;
  PaddedRows(std::int64_t batch, std::int64_t length, Random& random)
      : memory(random_tensor(random, {batch, length, 64})) {}
  TensorView view() const { return slice(memory.view(), 2, 0, 24); }
};

MultiHeadAttention chunk_model() {
  AttentionConfig config;
  config.model_dim = 24;
  config.num_heads = 2;
  return MultiHeadAttention(random_weights(config, 128));
}

void check_chunks(const MultiHeadAttention& model, std::int64_t batch, std::int64_t queries, std::int64_t keys,
                  const SessionOptions& options) {
  CAPTURE(batch);
  CAPTURE(queries);
  CAPTURE(keys);
  CAPTURE(options.threads);
  CAPTURE(int(options.schedule));
  Random random(static_cast<std::uint64_t>(queries * 1000 + keys));
  const PaddedRows query(batch, queries, random), key(batch, keys, random), output(batch, queries, random);
  const Tensor dense_query = copy_of(query.view()), dense_key = copy_of(key.view());
  const Results expected = run(model, inputs_of(dense_query, dense_key, dense_key), {true, false});
  Results results = make_results(model, inputs_of(query.view(), key.view(), key.view()), {true, false});
  AttentionOutputs outputs = results.outputs();
  const TensorView rows = output.view();
  outputs.output = MutableTensorView(const_cast<void*>(rows.data), DType::f32, rows.shape, rows.strides);
  Session(model, options).run(inputs_of(query.view(), key.view(), key.view()), outputs);
  CHECK(same_bits(copy_of(rows), expected.output));
  CHECK(same_bits(results.attention, expected.attention));
}

}  // namespace

TEST_CASE("chunks: lengths around multiples of the chunk size, queries and keys apart") {
  const MultiHeadAttention model = chunk_model();
  for (const std::int64_t queries : {1, 127, 128, 129, 255, 256}) {
    for (const std::int64_t keys : {1, 127, 128, 129, 130, 255, 257}) {
      for (const Schedule schedule : {Schedule::wide, Schedule::deep}) {
        for (const int threads : {1, 2, 3}) check_chunks(model, 1, queries, keys, {threads, schedule});
      }
    }
  }
}

TEST_CASE("chunks: a last group with fewer sequences than the others") {
  const MultiHeadAttention model = chunk_model();
  for (const std::int64_t length : {1, 10, 43, 50, 100}) {
    for (const std::int64_t batch : {3, 5, 7, 11}) {
      for (const int threads : {1, 2}) check_chunks(model, batch, length, length, {threads, Schedule::deep});
    }
  }
}

TEST_CASE("chunks: units divide by the threads, hold at most 128 rows and reach every row") {
  for (const int threads : {1, 2, 3, 4, 6, 64}) {
    runtime::Plan plan;
    plan.threads = threads;
    for (const std::int64_t max_parts : {1, 2, 6, 36}) {
      for (std::int64_t rows = 1; rows < 1000; rows += 7) {
        CAPTURE(threads);
        CAPTURE(max_parts);
        CAPTURE(rows);
        const runtime::ProductCut cut = runtime::cut_product(plan, rows, max_parts);
        CHECK((cut.rows >= 1 && cut.rows <= 128));
        CHECK((cut.parts >= 1 && cut.parts <= max_parts));
        // Fewer rows than chunks leave some of them empty, and so does rounding up.
        const std::int64_t chunks = (rows + cut.rows - 1) / cut.rows;
        if (rows % chunks == 0 && rows > threads * 128) CHECK(chunks * cut.parts % threads == 0);
        if (max_parts >= threads) CHECK(chunks == (rows + 127) / 128);
      }
    }
  }
}
