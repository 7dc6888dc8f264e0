#include <optional>

#include "checked.hpp"
#include "convert.hpp"
#include "safetensors_header.hpp"
#include "tensor_source.hpp"
#include "text.hpp"

namespace headwise {
namespace {

constexpr std::uint64_t length_bytes = 8;                // the header's length, little-endian
constexpr std::uint64_t max_header_bytes = 100'000'000;  // the reference reader's limit

[[noreturn]] void refuse(const InputFile& file, const std::string& problem) {
  throw Error(ErrorCode::bad_file, in_quotes(file.path()) + ": " + problem);
}

// Checked before anything is sized by it.
std::uint64_t read_header_length(const InputFile& file) {
  if (file.size() < length_bytes) {
    refuse(file, "too short for a safetensors file, it has " + std::to_string(file.size()) + " bytes");
  }
  std::uint64_t length = 0;
  file.read_at(0, &length, sizeof length);
  if (length > max_header_bytes) {
    refuse(file, "the header length " + std::to_string(length) + " exceeds the limit of 100000000");
  }
  if (length > file.size() - length_bytes) {
    refuse(file, "the file is " + std::to_string(length - (file.size() - length_bytes)) +
                     " bytes shorter than its header length " + std::to_string(length) + " says");
  }
  return length;
}

std::string read_header(const InputFile& file) {
  std::string json(read_header_length(file), '\0');
  file.read_at(length_bytes, json.data(), json.size());
  return json;
}

// Only the shape of an empty tensor can be unreadable here, or one of many axes.
bool is_readable(const std::vector<std::uint64_t>& shape) {
  std::optional<std::int64_t> count = 1;
  for (const std::uint64_t size : shape) {
    if (size > INT64_MAX) return false;
    if (count) count = checked_multiply(*count, static_cast<std::int64_t>(size));
  }
  return count.has_value() && shape.size() <= static_cast<std::size_t>(max_rank);
}

Dims readable_shape(const TensorInfo& info) {
  if (!is_readable(info.shape)) {
    throw Error(ErrorCode::unsupported, "tensor " + in_quotes(info.name) + ": shape " + shape_text(info.shape) +
                                            " has more than 8 axes, or sizes whose product exceeds 2^63 − 1");
  }
  const std::vector<std::int64_t> shape(info.shape.begin(), info.shape.end());
  return Dims(shape.data(), shape.size());
}

class SafetensorsSource final : public TensorSource {
 public:
  SafetensorsSource(const std::string& path, const OpenOptions& options) : file_(path) {
    const std::string json = read_header(file_);
    data_start_ = length_bytes + json.size();
    SafetensorsHeader header = parse_safetensors_header(json, path);
    check_safetensors_layout(header, file_.size() - data_start_, options.allow_trailing_bytes, path);
    tensors_ = std::move(header.tensors);
    metadata_ = std::move(header.metadata);
  }

  const char* format() const noexcept override { return "safetensors"; }

  Tensor read(std::size_t index, const Progress& progress) const override {
    const TensorInfo& info = tensors_[index];
    const auto dtype = dtype_of_safetensors(info.dtype);
    if (!dtype) {
      throw Error(ErrorCode::unsupported, in_quotes(file_.path()) + ": tensor " + in_quotes(info.name) + " has dtype " +
                                              info.dtype + ", which headwise does not read");
    }
    Tensor tensor(*dtype, readable_shape(info));
    void* data = tensor.mutable_view().data;
    file_.read_at(data_start_ + info.begin, data, info.end - info.begin, progress);
    if (*dtype == DType::boolean) normalise_booleans(data, tensor.size());
    return tensor;
  }

 private:
  InputFile file_;
  std::uint64_t data_start_ = 0;
};

}  // namespace

std::unique_ptr<TensorSource> open_safetensors(const std::string& path, const OpenOptions& options) {
  return std::make_unique<SafetensorsSource>(path, options);
}

}  // namespace headwise
