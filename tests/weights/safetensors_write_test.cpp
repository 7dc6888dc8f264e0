// Files that save_safetensors makes, looked at as bytes and read back.
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "expect_error.hpp"
#include "headwise/files.hpp"
#include "headwise/weights.hpp"
#include "temporary_folder.hpp"

using namespace headwise;

namespace {

constexpr DType every_type[] = {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i64, DType::i32,    DType::i16,
                                DType::i8,  DType::u64, DType::u32, DType::u16,  DType::u8,  DType::boolean};

Tensor counting(DType dtype, const Dims& shape) {
  Tensor tensor(DType::i64, shape);
  for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.data<std::int64_t>()[i] = i;
  return convert(tensor, dtype);
}

struct Parts {
  nlohmann::json header;
  std::uint64_t data_start;
};

Parts parts_of(const std::string& bytes) {
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  return {nlohmann::json::parse(bytes.substr(8, length)), 8 + length};
}

std::string saved(const std::vector<NamedView>& tensors, const std::map<std::string, std::string>& metadata = {}) {
  const TemporaryFolder folder;
  save_safetensors(folder.file("t.safetensors"), tensors, metadata);
  return read_bytes(folder.file("t.safetensors"));
}

void refused(const std::vector<NamedView>& tensors, const std::string& word,
             const std::map<std::string, std::string>& metadata = {}) {
  const TemporaryFolder folder;
  const std::string path = folder.file("t.safetensors");
  expect_error(ErrorCode::invalid_argument, {word}, [&] { save_safetensors(path, tensors, metadata); });
  CHECK(std::filesystem::is_empty(folder.path()));
}

}  // namespace

TEST_CASE("every type comes back bit for bit") {
  const TemporaryFolder folder;
  std::vector<Tensor> stored;
  std::vector<NamedView> views;
  for (const DType dtype : every_type) stored.push_back(counting(dtype, {3, 1, 5}));
  for (const Tensor& tensor : stored) views.push_back({dtype_name(tensor.dtype()), tensor});
  save_safetensors(folder.file("t.safetensors"), views);
  const WeightFile file = WeightFile::open(folder.file("t.safetensors"));
  CHECK(file.tensors().size() == std::size(every_type));
  for (const Tensor& tensor : stored) {
    CAPTURE(dtype_name(tensor.dtype()));
    const Tensor read = file.read(dtype_name(tensor.dtype()));
    CHECK(read.dtype() == tensor.dtype());
    CHECK(read.shape() == tensor.shape());
    CHECK(std::memcmp(read.view().data, tensor.view().data, 15 * dtype_size(tensor.dtype())) == 0);
  }
}

TEST_CASE("scalars, empty tensors and no tensor at all") {
  const TemporaryFolder folder;
  const Tensor scalar = counting(DType::f32, {}), empty = counting(DType::f32, {0, 4});
  save_safetensors(folder.file("t.safetensors"), {{"scalar", scalar}, {"empty", empty}});
  const WeightFile file = WeightFile::open(folder.file("t.safetensors"));
  CHECK(file.read("scalar").shape().rank() == 0);
  CHECK(file.read("empty").shape() == Dims{0, 4});
  save_safetensors(folder.file("none.safetensors"), {});
  CHECK(WeightFile::open(folder.file("none.safetensors")).tensors().empty());
}

TEST_CASE("any strides are written row by row") {
  const TemporaryFolder folder;
  const Tensor source = counting(DType::i32, {4, 6});
  const auto* data = source.data<std::int32_t>();
  const TensorView transposed(data, DType::i32, {6, 4}, {1, 6}), reversed(data + 23, DType::i32, {24}, {-1}),
      shared(data + 5, DType::i32, {3, 2}, {0, 0});
  save_safetensors(folder.file("t"), {{"transposed", transposed}, {"reversed", reversed}, {"shared", shared}});
  const WeightFile file = WeightFile::open(folder.file("t"));
  CHECK(file.read("transposed").data<std::int32_t>()[1] == 6);
  CHECK(file.read("reversed").data<std::int32_t>()[0] == 23);
  CHECK(file.read("shared").data<std::int32_t>()[5] == 5);
}

TEST_CASE("booleans become 0 and 1") {
  const unsigned char bytes[] = {0, 2, 255};
  const std::string file = saved({{"b", TensorView(bytes, DType::boolean, {3})}});
  CHECK(file.substr(file.size() - 3) == std::string("\0\1\1", 3));
}

TEST_CASE("data starts at a multiple of 64 bytes and tensors at one of their elements") {
  std::vector<Tensor> stored;
  for (const DType dtype : every_type) stored.push_back(counting(dtype, {3}));
  std::string name = "x";
  for (int i = 0; i < 70; ++i, name += "x") {
    std::vector<NamedView> views;
    for (const Tensor& tensor : stored) views.push_back({name + dtype_name(tensor.dtype()), tensor});
    const Parts parts = parts_of(saved(views));
    CHECK(parts.data_start % 64 == 0);
    for (const Tensor& tensor : stored) {
      const auto& entry = parts.header.at(name + dtype_name(tensor.dtype()));
      CHECK(entry.at("data_offsets")[0].get<std::uint64_t>() % dtype_size(tensor.dtype()) == 0);
    }
  }
}

TEST_CASE("the same tensors give the same bytes in whatever order they come") {
  const Tensor a = counting(DType::f32, {3}), b = counting(DType::f64, {2}), c = counting(DType::u8, {5});
  const std::map<std::string, std::string> metadata{{"z", "1"}, {"a", "2"}};
  const std::string bytes = saved({{"c", c}, {"a", a}, {"b", b}, {"a2", a}}, metadata);
  CHECK(bytes == saved({{"a2", a}, {"b", b}, {"a", a}, {"c", c}}, metadata));
  // Written out once, so that a change of the format is seen.
  CHECK(bytes.substr(8, parts_of(bytes).data_start - 8)
            .find(R"({"__metadata__":{"a":"2","z":"1"},"b":{"dtype":"F64","shape":[2],"data_offsets":[0,16]},)"
                  R"("a":{"dtype":"F32","shape":[3],"data_offsets":[16,28]},"a2":{"dtype":"F32","shape":[3],)"
                  R"("data_offsets":[28,40]},"c":{"dtype":"U8","shape":[5],"data_offsets":[40,45]}} )") == 0);
}

TEST_CASE("names and metadata are escaped and come back") {
  const TemporaryFolder folder;
  const Tensor tensor = counting(DType::f32, {1});
  std::vector<std::string> names{"",     "a\"b\\c", "\n\t\x01", std::string("n\0l", 3), "\xd0\x9f\xf0\x9f\x90\x8c",
                                 "dtype"};
  std::vector<NamedView> views;
  for (const std::string& name : names) views.push_back({name, tensor});
  const std::map<std::string, std::string> metadata{{"\"", "\\"}, {"", ""}, {"\xc3\xa9", "\n"}};
  save_safetensors(folder.file("t"), views, metadata);
  const WeightFile file = WeightFile::open(folder.file("t"));
  for (const std::string& name : names) CHECK(file.find(name) != nullptr);
  CHECK(file.metadata() == metadata);
}

TEST_CASE("what no reader could take is refused before a file is there") {
  const Tensor tensor = counting(DType::f32, {1});
  refused({{"a", tensor}, {"b", tensor}, {"a", tensor}}, "two tensors are called 'a'");
  refused({{"__metadata__", tensor}}, "__metadata__");
  for (const char* bad : {"\xff", "a\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80"}) {
    refused({{bad, tensor}}, "no UTF-8");
    refused({{"a", tensor}}, "no UTF-8", {{bad, "x"}});
    refused({{"a", tensor}}, "no UTF-8", {{"x", bad}});
  }
  refused({{"a", TensorView()}}, "save");
  refused({{"a", tensor}}, "100000000", {{"x", std::string(100'000'000, 'x')}});
}

TEST_CASE("a failed write leaves the old file and nothing else") {
  const TemporaryFolder folder;
  const Tensor tensor = counting(DType::f32, {1});
  const std::string path = folder.write("t.safetensors", "old");
  expect_error(ErrorCode::invalid_argument, {}, [&] { save_safetensors(path, {{"a", tensor}, {"a", tensor}}); });
  CHECK(read_bytes(path) == "old");
  expect_error(ErrorCode::io, {"none"}, [&] { save_safetensors(folder.file("none/t"), {{"a", tensor}}); });
  expect_error(ErrorCode::io, {"/dev/full"}, [&] { save_safetensors("/dev/full", {{"a", tensor}}); });
  save_safetensors(path, {{"a", tensor}});
  CHECK(WeightFile::open(path).read("a").size() == 1);
}
