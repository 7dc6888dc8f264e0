// Files that somebody cuts, overwrites or replaces while they are in use.
#include <unistd.h>

#include <cstring>
#include <functional>

#include "expect_error.hpp"
#include "headwise/headwise.hpp"
#include "stored_layer.hpp"
#include "temporary_folder.hpp"

using namespace headwise;

namespace {

const std::vector<std::string> names{"w_q", "w_k", "w_v", "w_o"};

std::string layer_file(std::uint64_t seed) {
  return safetensors_file(four_linears(random_weights({.model_dim = 8, .num_heads = 2}, seed), "", names));
}

// Writes over the bytes that are there, as no careful program does.
void overwrite(const std::string& path, const std::string& bytes) {
  std::fstream(path, std::ios::binary | std::ios::in | std::ios::out) << bytes;
}

std::string output_of(Session& session) {
  Tensor x({2, 5, 8}), y({2, 5, 8});
  for (std::int64_t i = 0; i < x.size(); ++i) x.data()[i] = 0.125F * static_cast<float>(i % 7);
  AttentionInputs inputs;
  inputs.query = inputs.key = inputs.value = x;
  AttentionOutputs outputs;
  outputs.output = y.mutable_view();
  session.run(inputs, outputs);
  return std::string(reinterpret_cast<const char*>(y.data()), static_cast<std::size_t>(y.size()) * sizeof(float));
}

std::string first_bytes(const Tensor& tensor) {
  return std::string(static_cast<const char*>(tensor.view().data), 16);
}

}  // namespace

TEST_CASE("a loaded layer does not notice what becomes of its file") {
  const TemporaryFolder folder;
  const std::string path = folder.write("m.safetensors", layer_file(1));
  const MultiHeadAttention attention(load_attention(path, {.num_heads = 2}));
  Session session(attention);
  const std::string before = output_of(session);
  const std::function<void()> changes[] = {[&] { overwrite(path, layer_file(2)); },
                                           [&] { REQUIRE(::truncate(path.c_str(), 0) == 0); },
                                           [&] { REQUIRE(::unlink(path.c_str()) == 0); }};
  for (const auto& change : changes) {
    change();
    for (int i = 0; i < 100; ++i) REQUIRE(output_of(session) == before);
  }
}

TEST_CASE("an open file that is replaced goes on giving the old tensors") {
  const TemporaryFolder folder;
  const std::string path = folder.write("m.safetensors", layer_file(1));
  const WeightFile file = WeightFile::open(path);
  const std::string before = first_bytes(file.read("w_q.weight"));
  std::filesystem::rename(folder.write("new", layer_file(2)), path);
  CHECK(first_bytes(file.read("w_q.weight")) == before);
  CHECK(first_bytes(WeightFile::open(path).read("w_q.weight")) != before);
}

TEST_CASE("an open file that is cut or overwritten gives an error or its bytes, never a signal") {
  const TemporaryFolder folder;
  const std::string whole = layer_file(1), path = folder.write("m.safetensors", whole);
  const WeightFile file = WeightFile::open(path);
  overwrite(path, std::string(whole.size(), '\xff'));
  CHECK(first_bytes(file.read("w_q.weight")) == std::string(16, '\xff'));
  for (std::size_t length = whole.size(); length-- > whole.size() - 64;) {
    REQUIRE(::truncate(path.c_str(), static_cast<off_t>(length)) == 0);
    const std::string last = file.tensors().back().name;
    expect_error(ErrorCode::io, {"m.safetensors", "has shrunk"}, [&] { file.read(last); });
  }
}

TEST_CASE("a file that is cut between two pieces of a read") {
  const TemporaryFolder folder;
  const std::string path = folder.write("big.safetensors", safetensors_file({{"big", Tensor({12 << 20})}}));
  const WeightFile file = WeightFile::open(path);
  int pieces = 0;
  const auto cut = [&](std::uint64_t, std::uint64_t) {
    ++pieces;
    REQUIRE(::truncate(path.c_str(), 1 << 20) == 0);
  };
  expect_error(ErrorCode::io, {"big.safetensors", "has shrunk"}, [&] { file.read("big", cut); });
  CHECK(pieces == 1);
}
