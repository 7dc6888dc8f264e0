// .npy arrays that are no files: from a pipe, out of a message, into a response. For files see load_npy and save_npy.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "headwise/api.h"
#include "headwise/tensor.hpp"

namespace headwise {

// Puts the next bytes at `to`, at most `count`, and says how many; 0 when there are no more. What it throws goes on to
// the caller of read_npy.
using ByteReader = std::function<std::size_t(void* to, std::size_t count)>;
// Takes `count` bytes, all of them, or throws.
using ByteWriter = std::function<void(const void* from, std::size_t count)>;

// Reads one array as load_npy does, and asks for no byte behind it. The memory of the tensor is touched only as far as
// bytes arrive, so a header that lies about its size costs address space. `name` is what messages call the source.
// Throws Error(bad_file), Error(unsupported), Error(out_of_memory), or Error(invalid_argument) for a reader that says
// it gave more than it was asked for.
HEADWISE_API Tensor read_npy(const ByteReader& read, const std::string& name);
// The bytes that save_npy would write. Throws as it does, but for Error(io).
HEADWISE_API void write_npy(const ByteWriter& write, const TensorView& tensor);

}  // namespace headwise
