#include <new>

#include "convert.hpp"
#include "file_writer.hpp"
#include "npy_header.hpp"
#include "text.hpp"
#include "views.hpp"

namespace headwise {
namespace {

// Version 1.0, padded with spaces so that the data starts at a multiple of 64 bytes.
std::string preamble(DType dtype, const Dims& shape) {
  constexpr std::size_t fixed = 10;
  std::string dictionary = npy_dictionary(dtype, shape);
  const std::size_t used = fixed + dictionary.size() + 1;
  dictionary.append((64 - used % 64) % 64, ' ').push_back('\n');
  std::string start("\x93NUMPY\x01\x00", 8);
  start.push_back(static_cast<char>(dictionary.size() & 255));
  start.push_back(static_cast<char>(dictionary.size() >> 8));
  return start + dictionary;
}

void write_array(FileWriter& writer, const TensorView& tensor) {
  const auto bytes = static_cast<std::uint64_t>(element_count(tensor.shape)) * dtype_size(tensor.dtype);
  writer.write(tensor.data, bytes);
}

}  // namespace

void save_npy(const std::string& path, const TensorView& tensor) try {
  check_view(tensor, "save");
  const std::string start = preamble(tensor.dtype, tensor.shape);
  // Booleans are copied too, so that the file holds only 0 and 1.
  const bool as_it_is = is_contiguous(tensor) && tensor.dtype != DType::boolean;
  const Tensor copy = as_it_is ? Tensor() : convert(tensor, tensor.dtype);
  FileWriter writer(path);
  writer.write(start.data(), start.size());
  write_array(writer, as_it_is ? tensor : copy.view());
  writer.finish();
} catch (const std::bad_alloc&) {
  throw Error(ErrorCode::out_of_memory, in_quotes(path) + ": no memory to write it");
}

}  // namespace headwise
