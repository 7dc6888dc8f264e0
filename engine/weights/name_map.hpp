// A file that says which tensor is which matrix, for weight files whose names no family explains. A stranger's file
// like any other. Its format is in docs/weights.md.
#pragma once

#include <string>
#include <vector>

#include "layout_search.hpp"

namespace headwise {

class NameMap {
 public:
  // Throws Error(io), or Error(bad_file) with the entry that is wrong.
  static NameMap read(const std::string& path);

  // The layers whose matrices are all there, by number where names hold {layer}, else the one; numbered so.
  std::vector<LaidOutLayer> layers(const WeightFile& file) const;
  // The parts of layer `number`, with the full names of their tensors.
  std::vector<PartName> parts(std::int64_t number) const;
  // Names of the tensors that it needs and the file lacks.
  std::vector<std::string> missing(const WeightFile& file, std::int64_t number) const;

  const std::string& path() const noexcept { return path_; }
  std::int64_t num_heads() const noexcept { return num_heads_; }  // 0 when not given

 private:
  LaidOutLayer layer(const WeightFile& file, std::int64_t number) const;

  std::string path_;
  LayoutPointer layout_;
  std::int64_t num_heads_ = 0;
};

}  // namespace headwise
