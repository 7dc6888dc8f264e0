// Reads that fail or stop half-way, at each call of each reader.
#include <cerrno>

#include "expect_error.hpp"
#include "faulty_io.hpp"
#include "readings.hpp"

using namespace headwise;

namespace {

std::string good_path(const Reading& reading) {
  return good_folder() + reading.name;
}

std::int64_t calls_of(const Reading& reading, IoCall call) {
  const std::int64_t before = io_calls(call);
  reading.read(good_path(reading));
  return io_calls(call) - before;
}

// Every call of this kind fails once, with an error that names a file; afterwards all is as before.
void check_every(IoCall call, int error, const std::string& problem) {
  for (const Reading& reading : readings()) {
    CAPTURE(reading.name);
    const std::string whole = reading.read(good_path(reading));
    const std::size_t descriptors = open_descriptors();
    const std::int64_t calls = calls_of(reading, call);
    REQUIRE(calls > 0);
    for (std::int64_t after = 0; after < calls; ++after) {
      CAPTURE(after);
      {
        const FaultyIo faulty({call, error, after});
        expect_error(ErrorCode::io, {good_folder(), problem}, [&] { reading.read(good_path(reading)); });
      }
      CHECK(open_descriptors() == descriptors);
    }
    CHECK(reading.read(good_path(reading)) == whole);
  }
}

}  // namespace

TEST_CASE("a disk that fails") {
  check_every(IoCall::pread, EIO, "Input/output error");
  check_every(IoCall::pread, ESTALE, "cannot read");
}

TEST_CASE("a file that ends before its end") {
  check_every(IoCall::pread, 0, "has shrunk");
}

TEST_CASE("a file that cannot be opened or examined") {
  check_every(IoCall::open, EMFILE, "Too many open files");
  check_every(IoCall::open, EACCES, "Permission denied");
  check_every(IoCall::fstat, EIO, "cannot examine");
}

TEST_CASE("reads that a signal interrupts begin again") {
  for (const Reading& reading : readings()) {
    CAPTURE(reading.name);
    const std::string whole = reading.read(good_path(reading));
    for (const IoCall call : {IoCall::open, IoCall::pread}) {
      const std::int64_t calls = calls_of(reading, call);
      for (std::int64_t after = 0; after < calls; ++after) {
        const FaultyIo faulty({call, EINTR, after, 3});
        CHECK(reading.read(good_path(reading)) == whole);
      }
    }
  }
}

TEST_CASE("reads that give less than was asked for go on") {
  for (const Reading& reading : readings()) {
    CAPTURE(reading.name);
    const std::string whole = reading.read(good_path(reading));
    for (const std::size_t most : {1, 3, 7, 64}) {
      const ShortIo pieces(most);
      CHECK(reading.read(good_path(reading)) == whole);
    }
  }
}
