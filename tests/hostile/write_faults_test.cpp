// Writes that fail or stop half-way, at each call of each writer: the old file stays as it was, and nothing beside it.
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
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
  static const std::vector<Writing> all{
      {"array.npy", [](const std::string& path) { save_npy(path, counting()); }},
      {"arrays.npz",
       [](const std::string& path) {
         save_npz(path, {{"a", counting()}, {"b", counting()}});
       }},
      {"tensors.safetensors",
       [](const std::string& path) {
         save_safetensors(path, {{"a", counting()}});
       }},
      {"page.html", [](const std::string& path) { save_bytes(path, std::string(5000, 'p')); }}};
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

// Every writing on a file system that has files without a name, and on one that has none.
template <class Check>
void each_writing(Check check) {
  for (const bool unnamed : {true, false}) {
    const NoUnnamedFiles none(!unnamed);
    CAPTURE(unnamed);
    for (const Writing& writing : writings()) {
      CAPTURE(writing.name);
      check(writing, unnamed);
    }
  }
}

void check_every(IoCall call, int error, const std::string& problem) {
  each_writing([&](const Writing& writing, bool) {
    const std::int64_t calls = calls_of(writing, call);
    REQUIRE(calls > 0);
    for (std::int64_t after = 0; after < calls; ++after) {
      CAPTURE(after);
      check_failure(writing, {call, error, after}, problem);
    }
  });
}

// The signal that ends a process in which this call comes to it.
template <class Work>
int ending_signal(const IoFault& fault, Work work) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(fault.signal, SIG_DFL);  // doctest has a handler of its own
    const FaultyIo faulty(fault);
    work();
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

void check_killed(const Writing& writing, IoCall call, std::int64_t after, int signal) {
  const TemporaryFolder folder;
  for (const bool replaces : {false, true}) {
    const std::string path = folder.file(writing.name);
    if (replaces) folder.write(writing.name, "old");
    CHECK(ending_signal({call, EIO, after, 1, signal}, [&] { writing.write(path); }) == signal);
    CHECK(files_in(folder) == (replaces ? 1 : 0));
    if (replaces) CHECK(read_bytes(path) == "old");
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

TEST_CASE("a file without a name that cannot get one") {
  for (const Writing& writing : writings()) {
    check_failure(writing, {IoCall::linkat, ENOSPC}, "No space left");
    check_failure(writing, {IoCall::linkat, EEXIST, 0, 1000}, "File exists");
  }
}

TEST_CASE("a leftover under the temporary name is stepped over") {
  each_writing([](const Writing& writing, bool unnamed) {
    const TemporaryFolder folder;
    const FaultyIo faulty({unnamed ? IoCall::linkat : IoCall::open, EEXIST, 0, 20});
    writing.write(folder.file(writing.name));
    CHECK(files_in(folder) == 1);
  });
}

TEST_CASE("a process that is killed while it writes leaves nothing") {
  for (const Writing& writing : writings()) {
    CAPTURE(writing.name);
    for (const IoCall call : {IoCall::open, IoCall::write, IoCall::linkat}) {
      for (std::int64_t after = 0; after < calls_of(writing, call); ++after) {
        check_killed(writing, call, after, after % 2 == 0 ? SIGINT : SIGTERM);
      }
    }
  }
}

TEST_CASE("a check sees the whole file before anybody else, and what it throws leaves the old one") {
  const TemporaryFolder folder;
  const WrittenCheck refuse = [&](const WeightFile& written) {
    CHECK(written.read("a").size() == counting().size());
    CHECK(read_bytes(folder.file("t")) == "old");
    throw Error(ErrorCode::cancelled, "no");
  };
  for (const bool unnamed : {true, false}) {
    const NoUnnamedFiles none(!unnamed);
    folder.write("t", "old");
    const std::string path = folder.file("t");
    const std::vector<NamedView> tensors{{"a", counting()}};
    expect_error(ErrorCode::cancelled, {"no"}, [&] { save_safetensors(path, tensors, {}, refuse); });
    expect_error(ErrorCode::cancelled, {"no"}, [&] { save_npz(path, tensors, refuse); });
    expect_error(ErrorCode::io, {"read back"}, [&] { save_npz("/dev/null", tensors, refuse); });
    CHECK(files_in(folder) == 1);
    CHECK(read_bytes(path) == "old");
    save_npz(path, tensors, [](const WeightFile&) {});
    CHECK(WeightFile::open(path).find("a") != nullptr);
  }
}

TEST_CASE("writes that a signal interrupts begin again") {
  each_writing([](const Writing& writing, bool) {
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
  });
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
