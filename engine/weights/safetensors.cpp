#include <algorithm>
#include <new>
#include <optional>

#include "checked.hpp"
#include "convert.hpp"
#include "file_bytes.hpp"
#include "headwise/weights.hpp"
#include "safetensors_header.hpp"
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

}  // namespace

struct WeightFile::State {
  InputFile file;
  OpenOptions options;
  std::uint64_t data_start = 0;
  SafetensorsHeader header;
  std::vector<std::size_t> by_name = {};

  void index_names() {
    for (std::size_t i = 0; i < header.tensors.size(); ++i) by_name.push_back(i);
    std::sort(by_name.begin(), by_name.end(), [&](std::size_t a, std::size_t b) { return name(a) < name(b); });
  }
  const std::string& name(std::size_t i) const { return header.tensors[i].name; }
};

WeightFile::WeightFile(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
WeightFile::WeightFile(WeightFile&&) noexcept = default;
WeightFile& WeightFile::operator=(WeightFile&&) noexcept = default;
WeightFile::~WeightFile() = default;

WeightFile WeightFile::open(const std::string& path, const OpenOptions& options) try {
  InputFile file(path);
  const std::string json = read_header(file);
  const std::uint64_t data_start = length_bytes + json.size();
  SafetensorsHeader header = parse_safetensors_header(json, path);
  check_safetensors_layout(header, file.size() - data_start, options.allow_trailing_bytes, path);
  auto state = std::make_unique<State>(State{std::move(file), options, data_start, std::move(header)});
  state->index_names();
  return WeightFile(std::move(state));
} catch (const std::bad_alloc&) {
  throw Error(ErrorCode::out_of_memory, in_quotes(path) + ": no memory for the header");
}

const std::string& WeightFile::path() const noexcept {
  return state_->file.path();
}

const std::vector<TensorInfo>& WeightFile::tensors() const noexcept {
  return state_->header.tensors;
}

const std::map<std::string, std::string>& WeightFile::metadata() const noexcept {
  return state_->header.metadata;
}

const TensorInfo* WeightFile::find(const std::string& name) const noexcept {
  const auto& order = state_->by_name;
  const auto found = std::lower_bound(order.begin(), order.end(), name, [&](std::size_t i, const std::string& wanted) {
    return state_->name(i) < wanted;
  });
  return found != order.end() && state_->name(*found) == name ? &tensors()[*found] : nullptr;
}

Tensor WeightFile::read(const std::string& name) const {
  return read(name, state_->options.progress);
}

Tensor WeightFile::read(const std::string& name, const Progress& progress) const {
  const TensorInfo* info = find(name);
  if (info == nullptr) throw Error(ErrorCode::invalid_argument, in_quotes(path()) + ": no tensor " + in_quotes(name));
  const auto dtype = dtype_of_safetensors(info->dtype);
  if (!dtype) {
    throw Error(ErrorCode::unsupported, in_quotes(path()) + ": tensor " + in_quotes(name) + " has dtype " +
                                            info->dtype + ", which headwise does not read");
  }
  Tensor tensor(*dtype, readable_shape(*info));
  void* data = tensor.mutable_view().data;
  state_->file.read_at(state_->data_start + info->begin, data, info->end - info->begin, progress);
  if (*dtype == DType::boolean) normalise_booleans(data, tensor.size());
  return tensor;
}

}  // namespace headwise
