// A .npy array out of any stream of bytes.
#pragma once

#include "byte_stream.hpp"
#include "npy_header.hpp"

namespace headwise {

struct NpyArray {
  NpyHeader header;
  std::uint64_t start = 0;  // of the data, in bytes from the start of the stream
  std::uint64_t bytes = 0;  // of the data; start + bytes is at most the size of the stream
};

// Reads the header and checks it against the size of the stream, before anything is sized by it. Throws
// Error(bad_file), or Error(unsupported) as parse_npy_header does.
NpyArray read_npy_start(ByteStream& stream);

// Reads the data, which follows at once, as a contiguous tensor in C order and the machine's byte order.
Tensor read_npy_data(ByteStream& stream, const NpyArray& array, const Progress& progress = {});

}  // namespace headwise
