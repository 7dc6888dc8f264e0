// Tensors of an encoder's weight file by name, as f32.
#pragma once

#include <string>

#include "encoder_model.hpp"

namespace headwise::encoder {

// Sizes in expected shapes that the file decides.
constexpr std::int64_t any_size = -1;

class Reader {
 public:
  // `words` is the table of word embeddings, which tells what stands before all names of the file: nothing, or the name
  // that a model has inside a larger one, "bert.". Throws Error(bad_file) when it is nowhere.
  Reader(const WeightFile& file, std::string_view words, const EncoderOptions& options);

  const WeightFile& file() const noexcept { return file_; }
  const std::string& prefix() const noexcept { return prefix_; }  // "bert." or ""
  bool has(const std::string& name) const;
  // Throws Error(bad_file) when the tensor is missing or has another shape or a type that is no float, naming it, what
  // it is and what was expected. In memory of the options' allocator where it stays as it is.
  Tensor read(const std::string& name, const Dims& expected);
  Tensor read_kept(const std::string& name, const Dims& expected);
  // "<name>.weight" and "<name>.bias", or ".gamma" and ".beta".
  Norm read_norm(const std::string& name, std::int64_t size);
  // All that is wanted was read.
  void finish() const;

 private:
  [[noreturn]] void refuse(const std::string& problem) const;
  void check(const TensorInfo& info, const Dims& expected) const;

  const WeightFile& file_;
  const EncoderOptions& options_;
  std::string prefix_;
  std::uint64_t done_ = 0, total_ = 0;  // bytes
};

}  // namespace headwise::encoder
