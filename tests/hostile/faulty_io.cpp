#include "faulty_io.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <filesystem>
#include <optional>

namespace {

std::array<std::atomic<std::int64_t>, 7> counts{};
std::atomic<std::int64_t> read_bytes{0};
std::optional<IoFault> fault;
std::int64_t seen = 0;  // calls of the kind that fails, since the fault was set
std::size_t most_bytes = SIZE_MAX;
bool no_unnamed = false;

bool fails(IoCall call) noexcept {
  ++counts[static_cast<std::size_t>(call)];
  if (!fault || fault->call != call) return false;
  const std::int64_t index = seen++;
  if (index < fault->after || index >= fault->after + fault->times) return false;
  if (fault->signal != 0) ::raise(fault->signal);
  errno = fault->error;
  return true;
}

}  // namespace

FaultyIo::FaultyIo(const IoFault& wanted) noexcept {
  seen = 0;
  fault = wanted;
}
FaultyIo::~FaultyIo() {
  fault.reset();
}

ShortIo::ShortIo(std::size_t most) noexcept {
  most_bytes = most;
}
ShortIo::~ShortIo() {
  most_bytes = SIZE_MAX;
}

NoUnnamedFiles::NoUnnamedFiles(bool none) noexcept {
  no_unnamed = none;
}
NoUnnamedFiles::~NoUnnamedFiles() {
  no_unnamed = false;
}

std::int64_t io_calls(IoCall call) noexcept {
  return counts[static_cast<std::size_t>(call)];
}

std::int64_t bytes_read() noexcept {
  return read_bytes;
}

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator entries("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

// The linker leads every call of NAME to __wrap_NAME, and __real_NAME to the C library.
extern "C" {
int __real_open(const char*, int, ...);
int __real_fstat(int, struct stat*);
ssize_t __real_pread(int, void*, std::size_t, off_t);
ssize_t __real_write(int, const void*, std::size_t);
int __real_close(int);
int __real_linkat(int, const char*, int, const char*, int);
int __real_rename(const char*, const char*);

int __wrap_open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const bool unnamed = (flags & O_TMPFILE) == O_TMPFILE;
  const mode_t mode = unnamed || (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if (unnamed && no_unnamed) {
    errno = EOPNOTSUPP;
    return -1;
  }
  return fails(IoCall::open) ? -1 : __real_open(path, flags, mode);
}

int __wrap_fstat(int descriptor, struct stat* status) {
  return fails(IoCall::fstat) ? -1 : __real_fstat(descriptor, status);
}

ssize_t __wrap_pread(int descriptor, void* to, std::size_t count, off_t offset) {
  if (fails(IoCall::pread)) return fault->error == 0 ? 0 : -1;
  const ssize_t got = __real_pread(descriptor, to, std::min(count, most_bytes), offset);
  if (got > 0) read_bytes += got;
  return got;
}

ssize_t __wrap_write(int descriptor, const void* from, std::size_t count) {
  if (fails(IoCall::write)) return fault->error == 0 ? 0 : -1;
  return __real_write(descriptor, from, std::min(count, most_bytes));
}

// As on Linux, the descriptor is closed whatever close returns.
int __wrap_close(int descriptor) {
  const bool failed = fails(IoCall::close);
  const int error = errno;
  const int result = __real_close(descriptor);
  if (failed) errno = error;
  return failed ? -1 : result;
}

int __wrap_linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  return fails(IoCall::linkat) ? -1 : __real_linkat(from_folder, from, to_folder, to, flags);
}

int __wrap_rename(const char* from, const char* to) {
  return fails(IoCall::rename) ? -1 : __real_rename(from, to);
}
}
