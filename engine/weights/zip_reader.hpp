// A zip archive read through libzip. A hostile file like any other: it is opened once and read through InputFile, so
// what holds for other files holds for it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "byte_stream.hpp"

namespace headwise {

// Not for several threads at once: libzip has one position in the file for all that is open.
class ZipReader {
 public:
  struct Entry {
    std::string name;                        // UTF-8; what is not marked as that is code page 437, as zip has it
    std::uint64_t size = 0, compressed = 0;  // bytes, as the archive states them
    std::uint64_t index = 0;                 // in the archive's own order
  };

  // Throws Error(io), or Error(bad_file) for an archive that contradicts itself, whose entries are more than 65,536,
  // encrypted, neither stored nor deflated, overlapping, twice of one name, or larger than their compressed bytes can
  // become.
  explicit ZipReader(const std::string& path);
  ~ZipReader();

  const std::string& path() const noexcept;
  const std::vector<Entry>& entries() const noexcept { return entries_; }
  // The bytes of an entry from its start; the reader must outlive the stream. One that is read to its end is checked
  // against the archive's checksum: read() throws Error(bad_file).
  std::unique_ptr<ByteStream> open(const Entry& entry) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::vector<Entry> entries_;
};

}  // namespace headwise
