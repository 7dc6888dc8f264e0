#include <algorithm>
#include <new>

#include "headwise/weights.hpp"
#include "out_of_memory.hpp"
#include "tensor_source.hpp"
#include "text.hpp"
#include "weight_path.hpp"

namespace headwise {
namespace {

std::unique_ptr<TensorSource> open_source(const std::string& path, const OpenOptions& options) {
  switch (weight_format(path)) {
    case WeightFormat::shard_index:
      return open_shard_index(path, options);
    case WeightFormat::npz:
      return open_npz(path);
    case WeightFormat::safetensors:
      break;
  }
  return open_safetensors(path, options);
}

}  // namespace

struct WeightFile::State {
  std::string path;
  OpenOptions options;
  std::unique_ptr<TensorSource> source;
  std::vector<std::size_t> by_name = {};

  void index_names() {
    for (std::size_t i = 0; i < source->tensors().size(); ++i) by_name.push_back(i);
    std::sort(by_name.begin(), by_name.end(), [&](std::size_t a, std::size_t b) { return name(a) < name(b); });
  }
  const std::string& name(std::size_t i) const { return source->tensors()[i].name; }
};

WeightFile::WeightFile(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
WeightFile::WeightFile(WeightFile&&) noexcept = default;
WeightFile& WeightFile::operator=(WeightFile&&) noexcept = default;
WeightFile::~WeightFile() = default;

WeightFile WeightFile::open(const std::string& path, const OpenOptions& options) try {
  const std::string file = file_of_model(path);
  auto state = std::make_unique<State>(State{file, options, open_source(file, options)});
  state->index_names();
  return WeightFile(std::move(state));
} catch (const std::bad_alloc&) {
  throw_out_of_memory([&] { return in_quotes(path) + ": no memory for the header"; });
}

const std::string& WeightFile::path() const noexcept {
  return state_->path;
}

const char* WeightFile::format() const noexcept {
  return state_->source->format();
}

const std::vector<TensorInfo>& WeightFile::tensors() const noexcept {
  return state_->source->tensors();
}

const std::map<std::string, std::string>& WeightFile::metadata() const noexcept {
  return state_->source->metadata();
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

Tensor WeightFile::read(const std::string& name, const Progress& progress) const try {
  const TensorInfo* info = find(name);
  if (info == nullptr) throw Error(ErrorCode::invalid_argument, in_quotes(path()) + ": no tensor " + in_quotes(name));
  return state_->source->read(static_cast<std::size_t>(info - tensors().data()), progress);
} catch (const std::bad_alloc&) {
  throw_out_of_memory([&] { return in_quotes(path()) + ": no memory to read a tensor"; });
}

}  // namespace headwise
