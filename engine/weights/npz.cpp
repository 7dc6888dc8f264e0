// Arrays in a zip archive, as numpy writes them.
#include <mutex>

#include "headwise/files.hpp"
#include "npy_read.hpp"
#include "out_of_memory.hpp"
#include "safetensors_header.hpp"
#include "tensor_source.hpp"
#include "text.hpp"
#include "zip_reader.hpp"

namespace headwise {
namespace {

constexpr std::string_view ending = ".npy";

[[noreturn]] void refuse(const ZipReader& archive, const std::string& name, const std::string& problem) {
  throw Error(ErrorCode::bad_file, in_quotes(archive.path()) + ", entry " + in_quotes(name) + ": " + problem);
}

std::string tensor_name(const ZipReader& archive, const std::string& entry) {
  if (entry.ends_with(ending)) return entry.substr(0, entry.size() - ending.size());
  const bool pickled = entry.ends_with("data.pkl");
  refuse(archive, entry,
         pickled ? "a PyTorch checkpoint, which can run code when it is read; save it as safetensors"
                 : "not an array, its name does not end with .npy");
}

class NpzSource final : public TensorSource {
 public:
  explicit NpzSource(const std::string& path) : archive_(path) {
    for (const ZipReader::Entry& entry : archive_.entries()) {
      const bool is_folder = entry.name.ends_with("/") && entry.size == 0;
      if (!is_folder) add(entry);
    }
  }

  const char* format() const noexcept override { return "npz"; }

  Tensor read(std::size_t index, const Progress& progress) const override {
    const Array& array = arrays_[index];
    if (!array.refusal.empty()) throw Error(ErrorCode::unsupported, array.refusal);
    // Recursive, because a progress callback may read another tensor.
    const std::lock_guard lock(mutex_);
    const auto stream = archive_.open(*array.entry);
    // The header was read when the file was opened and is believed as it was then.
    std::string header(array.npy.start, '\0');
    stream->read(header.data(), header.size());
    return read_npy_data(*stream, array.npy, progress);
  }

 private:
  struct Array {
    const ZipReader::Entry* entry;
    NpyArray npy{};
    std::string refusal{};  // why it is listed but cannot be read
  };

  void add(const ZipReader::Entry& entry) {
    Array array{&entry};
    TensorInfo info;
    info.name = tensor_name(archive_, entry.name);
    info.dtype = "unsupported";
    info.begin = tensors_.empty() ? 0 : tensors_.back().end;
    info.end = info.begin + entry.size;
    try {
      array.npy = describe(entry, info);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::unsupported) throw;
      array.refusal = error.what();
    }
    tensors_.push_back(std::move(info));
    arrays_.push_back(std::move(array));
  }

  NpyArray describe(const ZipReader::Entry& entry, TensorInfo& info) const {
    const auto stream = archive_.open(entry);
    const NpyArray array = read_npy_start(*stream);
    if (array.start + array.bytes != entry.size) refuse(archive_, entry.name, "bytes follow the array");
    info.dtype = safetensors_type(array.header.dtype);
    info.shape.assign(array.header.shape.begin(), array.header.shape.end());
    info.end = info.begin + array.bytes;
    return array;
  }

  ZipReader archive_;
  std::vector<Array> arrays_;  // one a tensor
  mutable std::recursive_mutex mutex_;
};

}  // namespace

std::unique_ptr<TensorSource> open_npz(const std::string& path) {
  return std::make_unique<NpzSource>(path);
}

std::map<std::string, Tensor> load_npz(const std::string& path) try {
  const NpzSource source(path);
  std::map<std::string, Tensor> tensors;
  for (std::size_t i = 0; i < source.tensors().size(); ++i) {
    tensors.emplace(source.tensors()[i].name, source.read(i, {}));
  }
  return tensors;
} catch (const std::bad_alloc&) {
  throw_out_of_memory([&] { return in_quotes(path) + ": no memory to read it"; });
}

}  // namespace headwise
