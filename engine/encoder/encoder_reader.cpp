#include "encoder_reader.hpp"

#include <algorithm>
#include <array>

#include "text.hpp"

namespace headwise::encoder {

namespace {

constexpr std::array prefixes{"", "bert.", "roberta.", "distilbert.", "electra."};
constexpr std::array<std::string_view, 4> float_names{"F32", "F16", "BF16", "F64"};

bool fits(const std::vector<std::uint64_t>& shape, const Dims& expected) {
  if (shape.size() != static_cast<std::size_t>(expected.rank())) return false;
  for (int axis = 0; axis < expected.rank(); ++axis) {
    const std::uint64_t size = shape[static_cast<std::size_t>(axis)];
    if (expected[axis] == any_size ? size == 0 : size != static_cast<std::uint64_t>(expected[axis])) return false;
  }
  return true;
}

// "[any, 384]"
std::string text_of(const Dims& expected) {
  std::vector<std::string> sizes;
  for (const std::int64_t size : expected) sizes.push_back(size == any_size ? "any" : std::to_string(size));
  return "[" + join(sizes) + "]";
}

Tensor in_memory_of(const Allocator& allocator, Tensor tensor) {
  if (allocator.allocate == nullptr) return tensor;
  Tensor kept(DType::f32, tensor.shape(), allocator);
  std::copy_n(tensor.data(), tensor.size(), kept.data());
  return kept;
}

}  // namespace

Reader::Reader(const WeightFile& file, std::string_view words, const EncoderOptions& options)
    : file_(file), options_(options) {
  const auto found = std::find_if(prefixes.begin(), prefixes.end(), [&](const char* prefix) {
    return file.find(prefix + std::string(words)) != nullptr;
  });
  if (found == prefixes.end()) {
    refuse("there is no tensor " + in_quotes(words) +
           ", with \"bert.\", \"roberta.\", \"distilbert.\", \"electra.\" "
           "or nothing before the name");
  }
  prefix_ = *found;
  for (const TensorInfo& info : file.tensors()) total_ += info.end - info.begin;
}

void Reader::refuse(const std::string& problem) const {
  throw Error(ErrorCode::bad_file, in_quotes(file_.path()) + ": " + problem);
}

bool Reader::has(const std::string& name) const {
  return file_.find(prefix_ + name) != nullptr;
}

void Reader::check(const TensorInfo& info, const Dims& expected) const {
  const bool is_float = std::find(float_names.begin(), float_names.end(), info.dtype) != float_names.end();
  if (is_float && fits(info.shape, expected)) return;
  refuse("tensor " + in_quotes(info.name) + " is " + info.dtype + " " + shape_text(info.shape) + "; expected floats " +
         text_of(expected));
}

Tensor Reader::read(const std::string& name, const Dims& expected) {
  const TensorInfo* info = file_.find(prefix_ + name);
  if (info == nullptr) refuse("tensor " + in_quotes(prefix_ + name) + " is missing; expected " + text_of(expected));
  check(*info, expected);
  const auto& progress = options_.open.progress;
  Tensor tensor = progress ? file_.read(info->name, [&](auto done, auto) { progress(done_ + done, total_); })
                           : file_.read(info->name);
  done_ += info->end - info->begin;
  return tensor.dtype() == DType::f32 ? std::move(tensor) : convert(tensor, DType::f32);
}

Tensor Reader::read_kept(const std::string& name, const Dims& expected) {
  return in_memory_of(options_.allocator, read(name, expected));
}

Norm Reader::read_norm(const std::string& name, std::int64_t size) {
  const bool old = !has(name + ".weight") && has(name + ".gamma");
  return {read_kept(name + (old ? ".gamma" : ".weight"), {size}), read_kept(name + (old ? ".beta" : ".bias"), {size})};
}

void Reader::finish() const {
  if (options_.open.progress) options_.open.progress(total_, total_);
}

}  // namespace headwise::encoder
