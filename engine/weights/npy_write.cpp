#include "npy_write.hpp"

#include "file_writer.hpp"
#include "npy_header.hpp"
#include "out_of_memory.hpp"
#include "text.hpp"
#include "view_bytes.hpp"

namespace headwise {

// Version 1.0, padded with spaces so that the data starts at a multiple of 64 bytes.
std::string npy_preamble(DType dtype, const Dims& shape) {
  constexpr std::size_t fixed = 10;
  std::string dictionary = npy_dictionary(dtype, shape);
  const std::size_t used = fixed + dictionary.size() + 1;
  dictionary.append((64 - used % 64) % 64, ' ').push_back('\n');
  std::string start("\x93NUMPY\x01\x00", 8);
  start.push_back(static_cast<char>(dictionary.size() & 255));
  start.push_back(static_cast<char>(dictionary.size() >> 8));
  return start + dictionary;
}

void save_npy(const std::string& path, const TensorView& tensor) try {
  const ViewBytes bytes(tensor);
  const std::string start = npy_preamble(tensor.dtype, tensor.shape);
  FileWriter writer(path);
  writer.write(start.data(), start.size());
  writer.write(bytes.data(), bytes.size());
  writer.finish();
} catch (const std::bad_alloc&) {
  throw_out_of_memory([&] { return in_quotes(path) + ": no memory to write it"; });
}

}  // namespace headwise
