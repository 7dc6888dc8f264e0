// Writes that fail or stop half-way, at each call of each writer: the old file stays as it was, and nothing beside it.
#include <cerrno>
#include <functional>

#include "expect_error.hpp"
#include "faulty_io.hpp"
#include "headwise/files.hpp"
#include "temporary_folder.hpp"

using namespace headwise;

namespace {

struct Writing {
  std::string name;
  std::function<void(const std::string&)> write;
};

const Tensor& counting() {
  static const Tensor tensor = [] {
    Tensor numbers({40, 50});
    for (std::int64_t i = 0; i < numbers.size(); ++i) numbers.data()[i] = static_cast<float>(i);
    return numbers;
  }();
  return tensor;
}

const std::vector<Writing>& writings() {
  static const std::vector<Writing> all{{"array.npy", [](const std::string& path) { save_npy(path, counting()); }},
                                        {"arrays.npz",
                                         [](const std::string& path) {
                                           save_npz(path, {{"a", counting()}, {"b", counting()}});
                                         }},
                                        {"tensors.safetensors", [](const std::string& path) {
                                           save_safetensors(path, {{"a", counting()}});
                                         }}};
  return all;
}

std::size_t files_in(const TemporaryFolder& folder) {
  const std::filesystem::directory_iterator files(folder.path());
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

std::string whole_file(const Writing& writing) {
  const TemporaryFolder folder;
  writing.write(folder.file(writing.name));
  return read_bytes(folder.file(writing.name));
}

std::int64_t calls_of(const Writing& writing, IoCall call) {
  const std::int64_t before = io_calls(call);
  whole_file(writing);
  return io_calls(call) - before;
}

void check_failure(const Writing& writing, const IoFault& fault, const std::string& problem) {
  const TemporaryFolder folder;
  for (const bool replaces : {false, true}) {
    const std::string path = folder.file(writing.name);
    if (replaces) folder.write(writing.name, "old");
    const std::size_t descriptors = open_descriptors();
    {
      const FaultyIo faulty(fault);
      expect_error(ErrorCode::io, {path, problem}, [&] { writing.write(path); });
    }
    CHECK(files_in(folder) == (replaces ? 1 : 0));
    if (replaces) CHECK(read_bytes(path) == "old");
    CHECK(open_descriptors() == descriptors);
  }
  writing.write(folder.file(writing.name));
  CHECK(read_bytes(folder.file(writing.name)) == whole_file(writing));
}

void check_every(IoCall call, int error, const std::string& problem) {
  for (const Writing& writing : writings()) {
    CAPTURE(writing.name);
    const std::int64_t calls = calls_of(writing, call);
    REQUIRE(calls > 0);
    for (std::int64_t after = 0; after < calls; ++after) {
      CAPTURE(after);
      check_failure(writing, {call, error, after}, problem);
    }
  }
}

}  // namespace

TEST_CASE("a full disk, a used-up quota, a disk that fails") {
  check_every(IoCall::write, ENOSPC, "No space left");
  check_every(IoCall::write, EDQUOT, "quota");
  check_every(IoCall::write, EFBIG, "File too large");
  check_every(IoCall::write, EIO, "Input/output error");
}

TEST_CASE("a device that takes nothing and says no error") {
  check_every(IoCall::write, 0, "takes no more bytes");
}

TEST_CASE("a full disk that shows when the file is closed") {
  check_every(IoCall::close, ENOSPC, "No space left");
  check_every(IoCall::close, EIO, "Input/output error");
}

TEST_CASE("a file that cannot be made or renamed") {
  check_every(IoCall::open, EACCES, "Permission denied");
  check_every(IoCall::open, EROFS, "Read-only file system");
  check_every(IoCall::rename, EACCES, "cannot rename");
}

TEST_CASE("a leftover under the temporary name is stepped over") {
  for (const Writing& writing : writings()) {
    const TemporaryFolder folder;
    const FaultyIo faulty({IoCall::open, EEXIST, 0, 20});
    writing.write(folder.file(writing.name));
    CHECK(files_in(folder) == 1);
  }
}

TEST_CASE("writes that a signal interrupts begin again") {
  for (const Writing& writing : writings()) {
    const std::string whole = whole_file(writing);
    for (const IoCall call : {IoCall::open, IoCall::write}) {
      const std::int64_t calls = calls_of(writing, call);
      for (std::int64_t after = 0; after < calls; ++after) {
        const FaultyIo faulty({call, EINTR, after, 3});
        CHECK(whole_file(writing) == whole);
      }
    }
    // Linux closes the file all the same.
    const FaultyIo faulty({IoCall::close, EINTR, 0});
    CHECK(whole_file(writing) == whole);
  }
}

TEST_CASE("writes that take less than was given go on") {
  for (const Writing& writing : writings()) {
    const std::string whole = whole_file(writing);
    for (const std::size_t most : {1, 3, 7, 64}) {
      const ShortIo pieces(most);
      CHECK(whole_file(writing) == whole);
    }
  }
}
