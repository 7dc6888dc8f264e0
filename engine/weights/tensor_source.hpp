// What stands behind WeightFile: the named tensors of one file format. A new format is a class of this kind, a function
// that opens it, and a line in weight_file.cpp.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "file_bytes.hpp"
#include "headwise/weights.hpp"

namespace headwise {

class TensorSource {
 public:
  TensorSource() = default;
  TensorSource(const TensorSource&) = delete;
  TensorSource& operator=(const TensorSource&) = delete;
  virtual ~TensorSource() = default;

  virtual const char* format() const noexcept = 0;
  // Number `index` of tensors(). May be called from several threads.
  virtual Tensor read(std::size_t index, const Progress& progress) const = 0;

  // Filled and validated when the source is opened; no two have the same name.
  const std::vector<TensorInfo>& tensors() const noexcept { return tensors_; }
  const std::map<std::string, std::string>& metadata() const noexcept { return metadata_; }

 protected:
  std::vector<TensorInfo> tensors_;
  std::map<std::string, std::string> metadata_;
};

// Each throws what WeightFile::open promises.
std::unique_ptr<TensorSource> open_safetensors(const std::string& path, const OpenOptions& options);
std::unique_ptr<TensorSource> open_shard_index(const std::string& path, const OpenOptions& options);
std::unique_ptr<TensorSource> open_npz(const std::string& path);

}  // namespace headwise
