// Bytes in order, from a file or out of an archive.
#pragma once

#include <cstdint>
#include <string>

#include "file_bytes.hpp"

namespace headwise {

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // What messages begin with: "'x.npy'", "'x.npz', entry 'w.npy'".
  virtual std::string where() const = 0;
  // Of the whole, as the file system or the archive states it.
  virtual std::uint64_t size() const noexcept = 0;
  // The next `count` bytes. Throws Error(io) or Error(bad_file) when there are fewer.
  virtual void read(void* to, std::uint64_t count, const Progress& progress = {}) = 0;
};

}  // namespace headwise
