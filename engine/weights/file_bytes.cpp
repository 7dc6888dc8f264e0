#include "file_bytes.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <system_error>
#include <utility>

#include "headwise/error.hpp"
#include "text.hpp"

namespace headwise {
namespace {

static_assert(std::endian::native == std::endian::little, "the readers take little-endian files as they are");

constexpr std::uint64_t piece_bytes = 8u << 20;  // what is read between two calls of progress

int open_for_reading(const std::string& path) {
  check_file_name(path);
  int descriptor;
  do {
    // Without O_NONBLOCK, opening a FIFO would wait for a writer.
    descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  } while (descriptor < 0 && errno == EINTR);
  if (descriptor < 0) throw_errno(path, "cannot open");
  return descriptor;
}

void read_piece(int descriptor, const std::string& path, std::uint64_t offset, char* to, std::uint64_t count) {
  while (count > 0) {
    const ssize_t got = ::pread(descriptor, to, count, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_errno(path, "cannot read");
    if (got == 0) {
      throw Error(ErrorCode::io, in_quotes(path) + ": the file has shrunk since it was opened, it ends at byte " +
                                     std::to_string(offset));
    }
    const auto bytes = static_cast<std::uint64_t>(got);
    offset += bytes;
    to += bytes;
    count -= bytes;
  }
}

// Of a limit, which is a whole number of these.
std::string bytes_text(std::uint64_t bytes) {
  constexpr std::uint64_t mega = 1u << 20;
  return bytes < mega ? std::to_string(bytes >> 10) + " KiB" : std::to_string(bytes >> 20) + " MiB";
}

}  // namespace

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  std::swap(value_, other.value_);
  return *this;
}

FileDescriptor::~FileDescriptor() {
  if (value_ >= 0) ::close(value_);
}

int FileDescriptor::release() noexcept {
  return std::exchange(value_, -1);
}

void throw_errno(const std::string& path, const char* what) {
  const int number = errno;
  throw Error(ErrorCode::io,
              std::string(what) + " " + in_quotes(path) + ": " + std::generic_category().message(number));
}

void check_file_name(const std::string& path) {
  if (path.find('\0') == std::string::npos) return;
  throw Error(ErrorCode::io, in_quotes(path) + ": a file name cannot contain a NUL byte");
}

bool is_there(const std::string& path) noexcept {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

InputFile::InputFile(const std::string& path) : path_(path), descriptor_(open_for_reading(path)) {
  struct stat status {};
  if (::fstat(descriptor_.get(), &status) != 0) throw_errno(path, "cannot examine");
  if (!S_ISREG(status.st_mode)) {
    throw Error(ErrorCode::io, in_quotes(path) + ": not a regular file but a directory, pipe or device");
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

void InputFile::read_at(std::uint64_t offset, void* to, std::uint64_t count, const Progress& progress) const {
  for (std::uint64_t done = 0; done < count;) {
    const std::uint64_t bytes = std::min(count - done, piece_bytes);
    read_piece(descriptor_.get(), path_, offset + done, static_cast<char*>(to) + done, bytes);
    done += bytes;
    if (progress) progress(done, count);
  }
}

std::string read_text(const std::string& path, std::uint64_t most) {
  const InputFile file(path);
  if (file.size() > most) {
    throw Error(ErrorCode::bad_file, in_quotes(path) + ": larger than the limit of " + bytes_text(most));
  }
  std::string text(file.size(), '\0');
  file.read_at(0, text.data(), text.size());
  return text;
}

}  // namespace headwise
