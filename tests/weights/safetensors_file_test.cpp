#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "expect_error.hpp"
#include "headwise/weights.hpp"
#include "new_operators.hpp"
#include "safetensors_writer.hpp"
#include "temporary_folder.hpp"

using namespace headwise;

namespace {

std::atomic<std::size_t> largest_allocation{0};

Tensor counting(DType dtype, const Dims& shape) {
  Tensor tensor(DType::i64, shape);
  for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.data<std::int64_t>()[i] = i;
  return convert(tensor, dtype);
}

std::vector<NamedTensor> two_tensors() {
  return {{"a", counting(DType::f32, {2, 3})}, {"b", counting(DType::i16, {5})}};
}

}  // namespace

// Watches what the reader asks for: a number in a file must not become an allocation before it is checked.
void* new_memory(std::size_t size, std::size_t alignment, const void*) noexcept {
  if (size > largest_allocation) largest_allocation = size;
  return plain_memory(size, alignment);
}

void delete_memory(void* memory) noexcept {
  std::free(memory);
}

TEST_CASE("a header length is checked before anything is sized by it") {
  const TemporaryFolder folder;
  const std::uint64_t lengths[] = {100'000'001, 1ull << 40, (1ull << 63) - 1, 1ull << 63, ~0ull - 3, ~0ull};
  for (const std::uint64_t length : lengths) {
    std::string bytes(sizeof length, '\0');
    std::memcpy(bytes.data(), &length, sizeof length);
    const std::string path = folder.write("length.safetensors", bytes + "{}");
    // A sparse file, so that only the limit stands against the length.
    REQUIRE(::truncate(path.c_str(), 1ll << 41) == 0);
    largest_allocation = 0;
    expect_error(ErrorCode::bad_file, {std::to_string(length), "100000000"}, [&] { WeightFile::open(path); });
    CHECK(largest_allocation < 1'000'000);
  }
}

TEST_CASE("a header length within the limit but past the end of the file sizes nothing") {
  const TemporaryFolder folder;
  const std::uint64_t length = 100'000'000;
  std::string bytes(sizeof length, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  const std::string path = folder.write("length.safetensors", bytes + "{}");
  largest_allocation = 0;
  expect_error(ErrorCode::bad_file, {"99999998 bytes shorter"}, [&] { WeightFile::open(path); });
  CHECK(largest_allocation < 1'000'000);
}

TEST_CASE("a file cut at any byte is refused") {
  const TemporaryFolder folder;
  const std::string whole = safetensors_file(two_tensors());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    CAPTURE(length);
    const std::string path = folder.write("cut.safetensors", whole.substr(0, length));
    expect_error(ErrorCode::bad_file, {"cut.safetensors"}, [&] { WeightFile::open(path); });
  }
  CHECK_NOTHROW(WeightFile::open(folder.write("whole.safetensors", whole)));
}

TEST_CASE("every byte of a header may be damaged without a crash") {
  const TemporaryFolder folder;
  const std::string whole = safetensors_file({{"a", counting(DType::f32, {2})}});
  for (std::size_t i = 0; i < whole.size() - 8; ++i) {
    for (const int value : {0x00, 0x22, 0x30, 0x5b, 0x7b, 0x7d, 0xff}) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(value);
      try {
        const WeightFile file = WeightFile::open(folder.write("d.safetensors", damaged));
        for (const TensorInfo& info : file.tensors()) file.read(info.name);
      } catch (const Error&) {
      }
    }
  }
}

TEST_CASE("tensors are listed in byte order, found by name and read as they are") {
  const TemporaryFolder folder;
  const WeightFile file = WeightFile::open(folder.write("t.safetensors", safetensors_file(two_tensors())));
  REQUIRE(file.tensors().size() == 2);
  CHECK(file.tensors()[0].name == "a");
  CHECK(file.tensors()[1].begin == 24);
  CHECK(file.tensors()[1].shape == std::vector<std::uint64_t>{5});
  CHECK(file.find("b") == &file.tensors()[1]);
  CHECK(file.find("c") == nullptr);
  CHECK(file.read("a").data()[5] == 5.0f);
  CHECK(file.read("b").data<std::int16_t>()[4] == 4);
  expect_error(ErrorCode::invalid_argument, {"'c'", "t.safetensors"}, [&] { file.read("c"); });
}

TEST_CASE("an open file can be moved") {
  const TemporaryFolder folder;
  WeightFile file = WeightFile::open(folder.write("t.safetensors", safetensors_file(two_tensors())));
  WeightFile moved = std::move(file);
  CHECK(moved.read("a").data()[5] == 5.0f);
  file = std::move(moved);
  CHECK(file.read("b").data<std::int16_t>()[4] == 4);
}

TEST_CASE("every readable type comes back bit for bit") {
  const TemporaryFolder folder;
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i64, DType::i32, DType::i16,
                            DType::i8, DType::u64, DType::u32, DType::u16, DType::u8, DType::boolean}) {
    CAPTURE(dtype_name(dtype));
    const Tensor stored = counting(dtype, {2, 1, 3});
    // A tensor of one byte before it puts the data at an odd address of the file.
    const std::string bytes = safetensors_file({{"odd", counting(DType::u8, {1})}, {"t", stored}});
    const Tensor read = WeightFile::open(folder.write("t.safetensors", bytes)).read("t");
    CHECK(read.dtype() == dtype);
    CHECK(read.shape() == stored.shape());
    CHECK(std::memcmp(read.view().data, stored.view().data, 6 * dtype_size(dtype)) == 0);
  }
}

TEST_CASE("booleans other than 0 and 1 become 1") {
  const TemporaryFolder folder;
  const std::string header = R"({"m":{"dtype":"BOOL","shape":[3],"data_offsets":[0,3]}})";
  const std::string path = folder.write("b.safetensors", safetensors_bytes(header, std::string("\0\2\xff", 3)));
  const Tensor mask = WeightFile::open(path).read("m");
  const unsigned char expected[] = {0, 1, 1};
  CHECK(std::memcmp(mask.view().data, expected, 3) == 0);
}

TEST_CASE("types and ranks without a tensor are listed but not read") {
  const TemporaryFolder folder;
  const std::string header = R"({"f8":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[0,2]},)"
                             R"("deep":{"dtype":"U8","shape":[1,1,1,1,1,1,1,1,2],"data_offsets":[2,4]},)"
                             R"("vast":{"dtype":"U8","shape":[0,18446744073709551615],"data_offsets":[4,4]},)"
                             R"("product":{"dtype":"U8","shape":[4294967296,2147483648,0],"data_offsets":[4,4]}})";
  const WeightFile file = WeightFile::open(folder.write("u.safetensors", safetensors_bytes(header, "1234")));
  CHECK(file.find("vast")->shape[1] == ~0ull);
  expect_error(ErrorCode::unsupported, {"'f8'", "F8_E4M3"}, [&] { file.read("f8"); });
  expect_error(ErrorCode::unsupported, {"'deep'", "8 axes"}, [&] { file.read("deep"); });
  expect_error(ErrorCode::unsupported, {"'vast'"}, [&] { file.read("vast"); });
  expect_error(ErrorCode::unsupported, {"'product'"}, [&] { file.read("product"); });
}

TEST_CASE("metadata is kept") {
  const TemporaryFolder folder;
  const std::string header = R"({"__metadata__":{"format":"pt","heads":"12"}})";
  const WeightFile file = WeightFile::open(folder.write("m.safetensors", safetensors_bytes(header, "")));
  CHECK(file.metadata().at("heads") == "12");
  CHECK(file.tensors().empty());
}

TEST_CASE("bytes behind the last tensor are accepted only when asked for") {
  const TemporaryFolder folder;
  const std::string path = folder.write("t.safetensors", safetensors_file(two_tensors()) + "tail");
  expect_error(ErrorCode::bad_file, {"4 bytes longer"}, [&] { WeightFile::open(path); });
  OpenOptions lenient;
  lenient.allow_trailing_bytes = true;
  CHECK(WeightFile::open(path, lenient).read("a").data()[1] == 1.0f);
}

TEST_CASE("what is no regular file is refused without waiting") {
  const TemporaryFolder folder;
  REQUIRE(::mkfifo(folder.file("fifo").c_str(), 0600) == 0);
  for (const std::string& path : {folder.file("fifo"), std::string("/dev/zero")}) {
    expect_error(ErrorCode::io, {path, "not a regular file"}, [&] { WeightFile::open(path); });
  }
  expect_error(ErrorCode::io, {"absent"}, [&] { WeightFile::open(folder.file("absent")); });
  const std::string cut_name = folder.write("real", safetensors_file(two_tensors())) + std::string("\0.x", 3);
  expect_error(ErrorCode::io, {"NUL"}, [&] { WeightFile::open(cut_name); });
}

TEST_CASE("a file that shrinks after it was opened is an error") {
  const TemporaryFolder folder;
  const std::string path = folder.write("t.safetensors", safetensors_file(two_tensors()));
  const WeightFile file = WeightFile::open(path);
  const Tensor before = file.read("a");
  REQUIRE(::truncate(path.c_str(), 20) == 0);
  expect_error(ErrorCode::io, {"shrunk"}, [&] { file.read("a"); });
  CHECK(before.data()[5] == 5.0f);
}

TEST_CASE("reading from several threads gives the same tensors") {
  const TemporaryFolder folder;
  const WeightFile file = WeightFile::open(folder.write("t.safetensors", safetensors_file(two_tensors())));
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int repeat = 0; repeat < 50; ++repeat) right += file.read("a").data()[5] == 5.0f;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(right == 200);
}

TEST_CASE("progress counts the bytes of a tensor") {
  const TemporaryFolder folder;
  const std::string bytes = safetensors_file({{"big", Tensor({5 << 20})}, {"b", counting(DType::i16, {5})}});
  std::vector<std::pair<std::uint64_t, std::uint64_t>> calls;
  OpenOptions options;
  options.progress = [&](std::uint64_t done, std::uint64_t all) { calls.emplace_back(done, all); };
  const WeightFile file = WeightFile::open(folder.write("p.safetensors", bytes), options);
  CHECK(calls.empty());
  file.read("big");
  CHECK(calls.size() == 3);
  CHECK(calls.back() == std::pair<std::uint64_t, std::uint64_t>(20 << 20, 20 << 20));
  std::uint64_t own = 0;
  file.read("b", [&](std::uint64_t done, std::uint64_t) { own = done; });
  CHECK(own == 10);
  CHECK(calls.size() == 3);
}

TEST_CASE("names of files are bytes, whatever they are") {
  const TemporaryFolder folder;
  for (const char* name : {"\xd0\x9f\xd1\x80\xd0\xb8", "a b%20", "\xf0\x9f\x90\x8c", "bad\xff"}) {
    const std::string path = folder.write(name, safetensors_file(two_tensors()));
    CHECK(WeightFile::open(path).tensors().size() == 2);
  }
  expect_error(ErrorCode::bad_file, {"bad\\xff"}, [&] { WeightFile::open(folder.write("bad\xff", "x")); });
}
