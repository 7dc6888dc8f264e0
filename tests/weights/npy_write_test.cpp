#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstring>
#include <limits>
#include <thread>

#include "expect_error.hpp"
#include "headwise/tensor.hpp"
#include "temporary_folder.hpp"

using namespace headwise;

namespace {

Tensor counting(DType dtype, const Dims& shape) {
  Tensor tensor(DType::i64, shape);
  for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.data<std::int64_t>()[i] = i;
  return convert(tensor, dtype);
}

bool same_bytes(const Tensor& a, const Tensor& b) {
  const std::size_t bytes = static_cast<std::size_t>(a.size()) * dtype_size(a.dtype());
  return a.dtype() == b.dtype() && a.shape() == b.shape() && std::memcmp(a.view().data, b.view().data, bytes) == 0;
}

std::size_t file_count(const TemporaryFolder& folder) {
  const auto files = std::filesystem::directory_iterator(folder.path());
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

}  // namespace

TEST_CASE("every type and shape survives writing and reading") {
  const TemporaryFolder folder;
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::i64, DType::i32, DType::i16, DType::i8,
                            DType::u64, DType::u32, DType::u16, DType::u8, DType::boolean}) {
    for (const Dims& shape : {Dims{}, Dims{1}, Dims{5}, Dims{2, 3}, Dims{0, 4}, Dims{1, 2, 1, 2, 1, 1, 2, 2}}) {
      CAPTURE(dtype_name(dtype));
      CAPTURE(to_string(shape));
      const Tensor tensor = counting(dtype, shape);
      save_npy(folder.file("t.npy"), tensor);
      CHECK(same_bytes(load_npy(folder.file("t.npy")), tensor));
    }
  }
}

TEST_CASE("numbers are kept bit for bit") {
  const TemporaryFolder folder;
  Tensor tensor({6});
  const float values[] = {0.1f, -0.0f, 1e-45f, std::numeric_limits<float>::max(), INFINITY, NAN};
  std::memcpy(tensor.data(), values, sizeof values);
  save_npy(folder.file("t.npy"), tensor);
  CHECK(same_bytes(load_npy(folder.file("t.npy")), tensor));
}

TEST_CASE("views of any strides are written in C order") {
  const TemporaryFolder folder;
  const Tensor tensor = counting(DType::f32, {2, 3});
  save_npy(folder.file("t.npy"), TensorView(tensor.data(), DType::f32, {3, 2}, {1, 3}));
  const Tensor transposed = load_npy(folder.file("t.npy"));
  const float expected[] = {0, 3, 1, 4, 2, 5};
  CHECK(transposed.shape() == Dims{3, 2});
  CHECK(std::memcmp(transposed.data(), expected, sizeof expected) == 0);
  save_npy(folder.file("r.npy"), TensorView(tensor.data() + 5, DType::f32, {2, 2}, {0, -1}));
  const float repeated[] = {5, 4, 5, 4};
  CHECK(std::memcmp(load_npy(folder.file("r.npy")).data(), repeated, sizeof repeated) == 0);
}

TEST_CASE("the header is what NumPy writes") {
  const TemporaryFolder folder;
  const auto start = [&](const Dims& shape) {
    save_npy(folder.file("t.npy"), counting(DType::f32, shape));
    const std::string bytes = read_bytes(folder.file("t.npy"));
    CHECK(bytes.substr(0, 8) == std::string("\x93NUMPY\x01\x00", 8));
    const std::size_t data = bytes.find('\n') + 1;
    CHECK(data % 64 == 0);
    CHECK(bytes[8] + 256 * bytes[9] + 10 == static_cast<int>(data));
    return bytes.substr(10, bytes.find('}') - 9);
  };
  CHECK(start({2, 3}) == "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }");
  CHECK(start({5}) == "{'descr': '<f4', 'fortran_order': False, 'shape': (5,), }");
  CHECK(start({}) == "{'descr': '<f4', 'fortran_order': False, 'shape': (), }");
}

TEST_CASE("what .npy cannot hold is refused before a file appears") {
  const TemporaryFolder folder;
  expect_error(ErrorCode::unsupported, {"bf16"}, [&] { save_npy(folder.file("t.npy"), Tensor(DType::bf16, {1})); });
  expect_error(ErrorCode::invalid_argument, {"not given"}, [&] { save_npy(folder.file("t.npy"), Tensor()); });
  CHECK(file_count(folder) == 0);
}

TEST_CASE("an existing file is replaced whole, with its permissions, and no temporary file stays") {
  const TemporaryFolder folder;
  const std::string path = folder.write("t.npy", std::string(100'000, 'x'));
  REQUIRE(::chmod(path.c_str(), 0640) == 0);
  save_npy(path, counting(DType::f32, {2}));
  CHECK(load_npy(path).size() == 2);
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0640);
  CHECK(file_count(folder) == 1);
}

TEST_CASE("a symbolic link is followed, not replaced") {
  const TemporaryFolder folder;
  const std::string real = folder.write("real.npy", "old");
  REQUIRE(::symlink("real.npy", folder.file("link.npy").c_str()) == 0);
  save_npy(folder.file("link.npy"), counting(DType::f32, {2}));
  CHECK(std::filesystem::is_symlink(folder.file("link.npy")));
  CHECK(load_npy(real).size() == 2);
}

TEST_CASE("a symbolic link that leads nowhere is refused and stays") {
  const TemporaryFolder folder;
  for (const char* target : {"absent.npy", "absent/t.npy", "link.npy"}) {
    REQUIRE(::symlink(target, folder.file("link.npy").c_str()) == 0);
    expect_error(ErrorCode::io, {"link.npy", "symbolic link"},
                 [&] { save_npy(folder.file("link.npy"), counting(DType::f32, {2})); });
    CHECK(std::filesystem::read_symlink(folder.file("link.npy")) == target);
    CHECK(file_count(folder) == 1);
    std::filesystem::remove(folder.file("link.npy"));
  }
}

TEST_CASE("a failure is an error, leaves the old file and no temporary one") {
  const TemporaryFolder folder;
  const Tensor tensor = counting(DType::f32, {2});
  expect_error(ErrorCode::io, {"absent"}, [&] { save_npy(folder.file("absent/t.npy"), tensor); });
  expect_error(ErrorCode::io, {folder.path().string()}, [&] { save_npy(folder.path().string(), tensor); });
  expect_error(ErrorCode::io, {"NUL"}, [&] { save_npy(folder.file("t") + std::string("\0.npy", 5), tensor); });
  expect_error(ErrorCode::io, {"cannot"}, [&] { save_npy("", tensor); });
  expect_error(ErrorCode::io, {"/dev/full"}, [&] { save_npy("/dev/full", tensor); });
  CHECK(std::filesystem::exists("/dev/full"));
  CHECK(file_count(folder) == 0);
}

TEST_CASE("a write that fails half-way leaves the old file and no temporary one") {
  const TemporaryFolder folder;
  const std::string path = folder.write("t.npy", "old");
  // A limit on file sizes stands in for a full disk.
  struct rlimit before {};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit small { 4096, before.rlim_max };
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  expect_error(ErrorCode::io, {"t.npy", "cannot write"}, [&] { save_npy(path, Tensor({10'000})); });
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, handler);
  CHECK(read_bytes(path) == "old");
  CHECK(file_count(folder) == 1);
}

TEST_CASE("a pipe is written directly") {
  const TemporaryFolder folder;
  const std::string pipe = folder.file("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::string received;
  std::thread reader([&] { received = read_bytes(pipe); });
  save_npy(pipe, counting(DType::f32, {2}));
  reader.join();
  CHECK(received.size() == 128 + 8);
  CHECK(file_count(folder) == 1);
}

TEST_CASE("a name of the greatest length can be written") {
  const TemporaryFolder folder;
  const std::string path = folder.file(std::string(255, 'n'));
  save_npy(path, counting(DType::f32, {2}));
  CHECK(load_npy(path).size() == 2);
}
