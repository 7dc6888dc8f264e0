// The bytes of a zip file as libzip asks for them.
#pragma once

#include <exception>

#include "file_bytes.hpp"
#include "zip_library.hpp"

namespace headwise {

// libzip's own description of what went wrong.
class ZipError {
 public:
  ZipError() { zip_error_init(&error_); }
  ~ZipError() { zip_error_fini(&error_); }
  ZipError(const ZipError&) = delete;
  ZipError& operator=(const ZipError&) = delete;
  zip_error_t* get() noexcept { return &error_; }

 private:
  zip_error_t error_;
};

// Keeps what libzip cannot pass on: an exception of the file, and how much may still be read.
class ZipBytes {
 public:
  explicit ZipBytes(const std::string& path) : file_(path) {}

  const InputFile& file() const noexcept { return file_; }
  // What opening the archive may read; a directory of more than that is refused.
  void limit(std::uint64_t bytes) noexcept { budget_ = bytes; }
  // Throws what reading the file threw, if that is why libzip failed.
  void rethrow();

  // For zip_source_function_create, with a ZipBytes as its user data.
  static zip_int64_t answer(void* self, void* data, zip_uint64_t length, zip_source_cmd_t command) noexcept;

 private:
  zip_int64_t read(void* to, std::uint64_t most);
  zip_int64_t describe(void* to);
  zip_int64_t seek(void* arguments, zip_uint64_t length);

  InputFile file_;
  std::uint64_t position_ = 0, budget_ = UINT64_MAX;
  ZipError error_;
  std::exception_ptr failure_;
};

// Throws Error(bad_file) when a zip64 end record announces more entries than the limit: libzip allocates what it says,
// up to one entry for each 46 bytes of the file.
void check_announced_entries(const InputFile& file, std::uint64_t most);

}  // namespace headwise
