// A model in several safetensors files and the index that names them.
#include <algorithm>
#include <filesystem>

#include "headwise/error.hpp"
#include "shard_index.hpp"
#include "tensor_source.hpp"
#include "text.hpp"

namespace headwise {
namespace {

constexpr std::uint64_t max_index_bytes = 64u << 20;  // a model of 150,000 tensors needs some 20 MB
constexpr std::size_t most_listed = 20;

[[noreturn]] void refuse(const std::string& path, const std::string& problem) {
  throw Error(ErrorCode::bad_file, in_quotes(path) + ": " + problem);
}

std::string list(const std::vector<std::string>& names) {
  std::vector<std::string> shown;
  for (const std::string& name : names) {
    if (shown.size() == most_listed)
      return join(shown) + " and " + std::to_string(names.size() - most_listed) + " more";
    shown.push_back(in_quotes(name));
  }
  return join(shown);
}

class ShardedSource final : public TensorSource {
 public:
  ShardedSource(const std::string& path, const OpenOptions& options) : path_(path) {
    const ShardIndex index = parse_shard_index(read_text(path, max_index_bytes), path);
    check_presence(index);
    for (const std::string& name : index.shards) add_shard(name, options);
    const std::vector<std::size_t> order = sorted_by_name();
    check_names(order);
    check_tensors(index, order);
  }

  const char* format() const noexcept override { return "safetensors index"; }

  Tensor read(std::size_t index, const Progress& progress) const override {
    const Place& place = places_[index];
    return shards_[place.shard]->read(place.index, progress);
  }

 private:
  struct Place {
    std::size_t shard, index;
  };

  std::string path_of(const std::string& shard) const {
    return (std::filesystem::path(path_).parent_path() / shard).string();
  }

  // All that are missing are told at once, before any is opened.
  void check_presence(const ShardIndex& index) const {
    std::vector<std::string> missing;
    std::error_code ignored;
    for (const std::string& name : index.shards) {
      if (!std::filesystem::exists(path_of(name), ignored)) missing.push_back(name);
    }
    if (!missing.empty()) refuse(path_, "shards that are not there: " + list(missing));
  }

  void add_shard(const std::string& name, const OpenOptions& options) {
    shards_.push_back(open_safetensors(path_of(name), options));
    const TensorSource& shard = *shards_.back();
    for (std::size_t i = 0; i < shard.tensors().size(); ++i) {
      TensorInfo info = shard.tensors()[i];
      info.begin += data_bytes_;
      info.end += data_bytes_;
      info.file = name;
      tensors_.push_back(std::move(info));
      places_.push_back({shards_.size() - 1, i});
    }
    data_bytes_ = tensors_.empty() ? 0 : tensors_.back().end;
    metadata_.insert(shard.metadata().begin(), shard.metadata().end());
  }

  std::vector<std::size_t> sorted_by_name() const {
    std::vector<std::size_t> order(tensors_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return tensors_[a].name < tensors_[b].name; });
    return order;
  }

  // One of two would silently hide the other.
  void check_names(const std::vector<std::size_t>& order) const {
    const auto same = [&](auto a, auto b) { return tensors_[a].name == tensors_[b].name; };
    const auto twice = std::adjacent_find(order.begin(), order.end(), same);
    if (twice == order.end()) return;
    const TensorInfo &first = tensors_[*twice], &second = tensors_[*(twice + 1)];
    refuse(path_, "tensor " + in_quotes(first.name) + " is in two shards, " + in_quotes(first.file) + " and " +
                      in_quotes(second.file));
  }

  void check_tensors(const ShardIndex& index, const std::vector<std::size_t>& order) const {
    std::vector<std::string> missing;
    auto found = order.begin();
    for (const auto& [name, shard] : index.tensors) {
      while (found != order.end() && tensors_[*found].name < name) ++found;
      const bool there = found != order.end() && tensors_[*found].name == name && places_[*found].shard == shard;
      if (!there) missing.push_back(name);
    }
    if (!missing.empty()) refuse(path_, "tensors that are not in the shard that the index names: " + list(missing));
  }

  std::string path_;
  std::vector<std::unique_ptr<TensorSource>> shards_;
  std::vector<Place> places_;  // of each tensor
  std::uint64_t data_bytes_ = 0;
};

}  // namespace

std::unique_ptr<TensorSource> open_shard_index(const std::string& path, const OpenOptions& options) {
  return std::make_unique<ShardedSource>(path, options);
}

}  // namespace headwise
