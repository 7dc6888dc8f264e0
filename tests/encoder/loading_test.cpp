// Ways to store a model that all give the same one, and options of loading.
#include <doctest/doctest.h>

#include "headwise/weight_layouts.hpp"
#include "models.hpp"
#include "test_allocator.hpp"

using namespace headwise;

namespace {

const Tokens tokens({5, 3}, 50);

void replace(std::string& text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  if (at != std::string::npos) text.replace(at, what.size(), by);
}

void rename(ModelFolder& folder, const std::string& what, const std::string& by) {
  for (NamedTensor& named : folder.tensors) replace(named.name, what, by);
}

}  // namespace

TEST_CASE("loading: prefixes, old names, other tensors beside and config entries that are missing change nothing") {
  const EncoderResults wanted = run(ModelFolder().load(), tokens);
  for (const std::string prefix : {"bert.", "roberta.", "electra.", "distilbert."}) {
    ModelFolder folder;
    for (NamedTensor& named : folder.tensors) named.name = prefix + named.name;
    CHECK(equal_bits(run(folder.load(), tokens), wanted));
  }
  ModelFolder old;
  rename(old, "LayerNorm.weight", "LayerNorm.gamma");
  rename(old, "LayerNorm.bias", "LayerNorm.beta");
  CHECK(equal_bits(run(old.load(), tokens), wanted));
  ModelFolder more;
  more.tensors.push_back({"pooler.dense.weight", Tensor({64, 64})});
  more.tensors.push_back({"embeddings.position_ids", Tensor(DType::i64, {1, 300})});
  CHECK(equal_bits(run(more.load(), tokens), wanted));
  ModelFolder bare;
  bare.config = R"({"model_type":"electra","num_hidden_layers":3,"num_attention_heads":4,"hidden_act":null})";
  CHECK(equal_bits(run(bare.load(), tokens), wanted));
}

TEST_CASE("loading: fewer layers than the file holds are those of config.json") {
  ModelFolder folder;
  const EncoderResults whole = run(folder.load(), tokens);
  replace(folder.config, "\"num_hidden_layers\":3", "\"num_hidden_layers\":2");
  const EncoderResults part = run(folder.load(), tokens);
  const auto bytes = sizeof(float) * static_cast<std::size_t>(part.states.size());
  CHECK(std::memcmp(part.states.data(), whole.states.data(), bytes) == 0);
}

TEST_CASE("loading: half weights and doubles are computed with as f32") {
  for (const DType dtype : {DType::f16, DType::bf16, DType::f64}) {
    CAPTURE(dtype_name(dtype));
    ModelFolder stored, rounded;
    for (NamedTensor& named : stored.tensors) named.tensor = convert(named.tensor, dtype);
    for (NamedTensor& named : rounded.tensors) named.tensor = convert(convert(named.tensor, dtype), DType::f32);
    CHECK(equal_bits(run(stored.load(), tokens), run(rounded.load(), tokens)));
  }
}

TEST_CASE("loading: weights of an allocator's memory give the same and all come back") {
  const ModelFolder folder;
  TestAllocator allocator;
  {
    const Encoder encoder = Encoder::load(folder.write(), {.allocator = allocator.get()});
    CHECK(allocator.held() > 3 * 4 * (4 * 64 * 64 + 2 * 64 * 300));
    CHECK(equal_bits(run(encoder, tokens), run(folder.load(), tokens)));
  }
  CHECK(allocator.held() == 0);
  CHECK_FALSE(allocator.wrong());
}

TEST_CASE("loading: progress rises to the bytes of all tensors") {
  const ModelFolder folder;
  std::uint64_t last = 0, all = 0, calls = 0;
  EncoderOptions options;
  options.open.progress = [&](std::uint64_t done, std::uint64_t total) {
    CHECK(done >= last);
    last = done;
    all = total;
    ++calls;
  };
  Encoder::load(folder.write(), options);
  std::uint64_t bytes = 0;
  for (const NamedTensor& named : folder.tensors) bytes += 4 * static_cast<std::uint64_t>(named.tensor.size());
  CHECK(last == bytes);
  CHECK(all == bytes);
  CHECK(calls > 10);
}
