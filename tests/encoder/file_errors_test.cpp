// Weight files that are no encoder, or a broken one.
#include <doctest/doctest.h>

#include "expect_error.hpp"
#include "headwise/weight_layouts.hpp"
#include "models.hpp"

using namespace headwise;

TEST_CASE("file errors: every tensor is missed, and named, when it is not there") {
  const ModelFolder whole;
  for (const NamedTensor& missing : whole.tensors) {
    ModelFolder folder;
    std::erase_if(folder.tensors, [&](const NamedTensor& named) { return named.name == missing.name; });
    CAPTURE(missing.name);
    expect_error(ErrorCode::bad_file, {missing.name}, [&] { folder.load(); });
  }
}

TEST_CASE("file errors: every tensor is refused, and named, in another shape or type") {
  const ModelFolder whole;
  for (std::size_t i = 0; i < whole.tensors.size(); ++i) {
    const Dims& shape = whole.tensors[i].tensor.shape();
    const std::string& name = whole.tensors[i].name;
    CAPTURE(name);
    for (int axis = 0; axis < shape.rank(); ++axis) {
      Dims other = shape;
      other[axis] += 1;
      const bool table = axis == 0 && name.ends_with("_embeddings.weight");  // those may have any number of rows
      if (table) other[axis] = 0;
      ModelFolder folder;
      folder.tensors[i].tensor = Tensor(other);
      expect_error(ErrorCode::bad_file, {name, to_string(other), "expected"}, [&] { folder.load(); });
    }
    ModelFolder deeper, integers;
    Dims ones{1, 1, 1};
    deeper.tensors[i].tensor = Tensor(ones);
    expect_error(ErrorCode::bad_file, {name, "[1, 1, 1]"}, [&] { deeper.load(); });
    integers.tensors[i].tensor = Tensor(DType::i32, shape);
    expect_error(ErrorCode::bad_file, {name, "I32", "floats"}, [&] { integers.load(); });
  }
}

TEST_CASE("file errors: folders without what a model needs") {
  const TemporaryFolder empty;
  expect_error(ErrorCode::io, {"config.json"}, [&] { Encoder::load(empty.path().string()); });
  expect_error(ErrorCode::io, {"config.json"}, [&] { Encoder::load(empty.file("nowhere")); });
  empty.write("config.json", R"({"model_type":"bert","num_hidden_layers":1,"num_attention_heads":1})");
  expect_error(ErrorCode::io, {"model.safetensors"}, [&] { Encoder::load(empty.path().string()); });
  empty.write("model.safetensors", "no tensors");
  expect_error(ErrorCode::bad_file, {"model.safetensors"}, [&] { Encoder::load(empty.path().string()); });
  empty.write("model.safetensors", safetensors_file({{"some", Tensor({1})}}));
  expect_error(ErrorCode::bad_file, {"word_embeddings"}, [&] { Encoder::load(empty.path().string()); });
}

TEST_CASE("file errors: an ISA that is none") {
  const ModelFolder folder;
  expect_error(ErrorCode::invalid_argument, {"avx9000"}, [&] { folder.load("avx9000"); });
  Allocator half;
  half.allocate = [](std::size_t, std::size_t, void*) -> void* { return nullptr; };
  expect_error(ErrorCode::invalid_argument, {"allocator"}, [&] { Encoder::load(folder.write(), {.allocator = half}); });
}

TEST_CASE("file errors: a layer that is another one than its stored check") {
  ModelFolder folder;
  const std::string path = folder.write();
  const AttentionWeights weights = load_attention(path, {.layer = 1});
  const std::string note = stored_check_for(weights);
  std::string escaped;
  for (const char c : note) escaped += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  const auto write_with_note = [&] {
    std::string bytes = safetensors_file(folder.tensors);
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), sizeof length);
    const std::string header = "{\"__metadata__\":{\"" + stored_check_key("encoder.layer.1.attention.") + "\":\"" +
                               escaped + "\"}," + bytes.substr(9, length - 1);
    folder.folder().write("model.safetensors", safetensors_bytes(header, bytes.substr(8 + length)));
  };
  write_with_note();
  Encoder::load(path);
  folder.tensor("encoder.layer.1.attention.self.key.weight").data()[5] += 0.5F;
  write_with_note();
  expect_error(ErrorCode::bad_file, {"encoder.layer.1.attention."}, [&] { Encoder::load(path); });
}
