// System calls of the code that is linked into this executable, made to fail, to stop half-way or to be counted.
#pragma once

#include <cstddef>
#include <cstdint>

enum class IoCall { open, fstat, pread, write, close, linkat, rename };

struct IoFault {
  IoCall call = IoCall::pread;
  int error = 0;           // errno of the calls that fail; 0: a read finds the end, a write takes nothing
  std::int64_t after = 0;  // calls that go well before
  std::int64_t times = 1;
  int signal = 0;  // what the process gets at the first of them, if any
};

// Until the object goes, these calls fail. One object at a time, and calls from one thread only.
class FaultyIo {
 public:
  explicit FaultyIo(const IoFault& fault) noexcept;
  FaultyIo(const FaultyIo&) = delete;
  FaultyIo& operator=(const FaultyIo&) = delete;
  ~FaultyIo();
};

// Until the object goes, no file system has files without a name.
class NoUnnamedFiles {
 public:
  explicit NoUnnamedFiles(bool none = true) noexcept;
  NoUnnamedFiles(const NoUnnamedFiles&) = delete;
  NoUnnamedFiles& operator=(const NoUnnamedFiles&) = delete;
  ~NoUnnamedFiles();
};

// Until the object goes, reads and writes move at most so many bytes.
class ShortIo {
 public:
  explicit ShortIo(std::size_t most) noexcept;
  ShortIo(const ShortIo&) = delete;
  ShortIo& operator=(const ShortIo&) = delete;
  ~ShortIo();
};

std::int64_t io_calls(IoCall call) noexcept;  // so far
std::int64_t bytes_read() noexcept;           // by pread so far
std::size_t open_descriptors();
