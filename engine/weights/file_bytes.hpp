// Bytes of a regular file, read with pread into memory that the caller owns. Never mapped: a mapped file that somebody
// truncates would kill the process.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace headwise {

using Progress = std::function<void(std::uint64_t, std::uint64_t)>;

// A file descriptor that closes itself.
class FileDescriptor {
 public:
  explicit FileDescriptor(int value = -1) noexcept : value_(value) {}
  FileDescriptor(FileDescriptor&& other) noexcept : value_(other.release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor();
  int get() const noexcept { return value_; }
  int release() noexcept;

 private:
  int value_;
};

// Throws Error(io) with the path, what was tried and the reason in errno.
[[noreturn]] void throw_errno(const std::string& path, const char* what);

// A NUL would silently cut the name that the system sees. Throws Error(io) for one.
void check_file_name(const std::string& path);

// Whether there is anything of this name. A link to nowhere is, and so is what cannot be looked at: what it was meant
// to be must not be passed over, and opening it says what is wrong.
bool is_there(const std::string& path) noexcept;

// read_at may be called from several threads.
class InputFile {
 public:
  // Throws Error(io) when the file cannot be opened or is no regular file; a FIFO or a device is refused at once
  // instead of waiting for it.
  explicit InputFile(const std::string& path);

  const std::string& path() const noexcept { return path_; }
  std::uint64_t size() const noexcept { return size_; }
  // Reads exactly `count` bytes; progress is called after each piece of some megabytes. Throws Error(io) when the file
  // has fewer bytes than it had when it was opened.
  void read_at(std::uint64_t offset, void* to, std::uint64_t count, const Progress& progress = {}) const;

 private:
  std::string path_;
  FileDescriptor descriptor_;
  std::uint64_t size_ = 0;
};

// All of a regular file. Throws Error(bad_file), before anything is sized by it, when it has more than `most` bytes.
std::string read_text(const std::string& path, std::uint64_t most);

}  // namespace headwise
