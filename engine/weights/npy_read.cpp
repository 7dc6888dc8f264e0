#include "npy_read.hpp"

#include <algorithm>
#include <cstring>

#include "checked.hpp"
#include "convert.hpp"
#include "out_of_memory.hpp"
#include "text.hpp"
#include "views.hpp"

namespace headwise {
namespace {

constexpr std::uint64_t max_header_bytes = 10'000;  // NumPy's limit; three short entries need far less

[[noreturn]] void refuse(const ByteStream& stream, const std::string& problem) {
  throw Error(ErrorCode::bad_file, stream.where() + ": " + problem);
}

struct HeaderPlace {
  std::uint64_t start, length;
};

// Magic, version and header length: 10 bytes in version 1, 12 in versions 2 and 3.
HeaderPlace find_header(ByteStream& stream) {
  unsigned char bytes[12] = {};
  const std::uint64_t present = std::min<std::uint64_t>(stream.size(), 10);
  stream.read(bytes, present);
  if (present < 10 || std::memcmp(bytes, "\x93NUMPY", 6) != 0)
    refuse(stream, "no .npy file, the magic string is missing");
  const int major = bytes[6], minor = bytes[7];
  if (major < 1 || major > 3 || minor != 0) {
    refuse(stream, "npy version " + std::to_string(major) + "." + std::to_string(minor) + " is not known");
  }
  if (major == 1) return {10, bytes[8] + 256ull * bytes[9]};
  if (stream.size() < sizeof bytes) refuse(stream, "the file ends in the header length");
  stream.read(bytes + 10, 2);
  std::uint32_t length;
  std::memcpy(&length, bytes + 8, sizeof length);
  return {sizeof bytes, length};
}

std::string read_header(ByteStream& stream, const HeaderPlace& place) {
  if (place.length > stream.size() - place.start) {
    refuse(stream, "the header length " + std::to_string(place.length) + " reaches past the end of the file");
  }
  if (place.length > max_header_bytes) refuse(stream, "the header length exceeds the limit of 10000 bytes");
  std::string text(place.length, '\0');
  stream.read(text.data(), text.size());
  return text;
}

// Negative sizes are refused by the parser, so any failure here is an overflow. A zero does not heal it, as in NumPy.
std::uint64_t data_bytes(const ByteStream& stream, const NpyHeader& header) {
  std::optional<std::uint64_t> bytes = dtype_size(header.dtype);
  bool empty = false;
  for (const std::int64_t size : header.shape) {
    empty = empty || size == 0;
    if (bytes && size != 0) bytes = checked_multiply(*bytes, static_cast<std::uint64_t>(size));
  }
  if (!bytes || *bytes > INT64_MAX) refuse(stream, "size overflow, shape " + to_string(header.shape));
  return empty ? 0 : *bytes;
}

void check_length(const ByteStream& stream, const NpyArray& array) {
  const std::uint64_t present = stream.size() - array.start;
  if (present >= array.bytes) return;
  refuse(stream, "the file is " + std::to_string(array.bytes - present) + " bytes shorter than its header declares");
}

void swap_bytes(Tensor& tensor) {
  const std::size_t size = dtype_size(tensor.dtype());
  auto* bytes = static_cast<unsigned char*>(tensor.mutable_view().data);
  for (std::int64_t i = 0; i < tensor.size(); ++i, bytes += size) std::reverse(bytes, bytes + size);
}

// Column-major data is a transposed view of row-major memory.
Tensor in_c_order(const Tensor& stored, const Dims& shape) {
  Dims strides = shape;
  std::int64_t stride = 1;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    strides[axis] = stride;
    if (stored.size() > 0) stride *= shape[axis];
  }
  Tensor result(stored.dtype(), shape);
  copy_to_contiguous(TensorView(stored.view().data, stored.dtype(), shape, strides), result.mutable_view().data);
  return result;
}

class FileStream final : public ByteStream {
 public:
  explicit FileStream(const std::string& path) : file_(path) {}
  std::string where() const override { return in_quotes(file_.path()); }
  std::uint64_t size() const noexcept override { return file_.size(); }
  void read(void* to, std::uint64_t count, const Progress& progress) override {
    file_.read_at(position_, to, count, progress);
    position_ += count;
  }

 private:
  InputFile file_;
  std::uint64_t position_ = 0;
};

}  // namespace

NpyArray read_npy_start(ByteStream& stream) {
  const HeaderPlace place = find_header(stream);
  NpyArray array;
  array.header = parse_npy_header(read_header(stream, place), stream.where());
  array.start = place.start + place.length;
  array.bytes = data_bytes(stream, array.header);
  check_length(stream, array);
  return array;
}

Tensor read_npy_data(ByteStream& stream, const NpyArray& array, const Progress& progress) {
  const NpyHeader& header = array.header;
  Tensor tensor(header.dtype, header.shape);
  stream.read(tensor.mutable_view().data, array.bytes, progress);
  if (header.big_endian) swap_bytes(tensor);
  if (header.dtype == DType::boolean) normalise_booleans(tensor.mutable_view().data, tensor.size());
  return header.fortran_order && header.shape.rank() > 1 ? in_c_order(tensor, header.shape) : std::move(tensor);
}

// Bytes behind the array are not looked at, as in NumPy.
Tensor load_npy(const std::string& path) try {
  FileStream stream(path);
  return read_npy_data(stream, read_npy_start(stream));
} catch (const std::bad_alloc&) {
  throw_out_of_memory([&] { return in_quotes(path) + ": no memory to read it"; });
}

}  // namespace headwise
