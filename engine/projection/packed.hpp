// What a Linear holds: packed weights a slice of input features, and primitives a row class.
#pragma once

#include <string>
#include <vector>

#include "attend.hpp"
#include "headwise/tensor.hpp"
#include "linear.hpp"
#include "onednn.hpp"
#include "row_classes.hpp"
#include "slices.hpp"

namespace headwise::projection {

// The first slice overwrites its destination, the others add to it; slices of one width and manner share primitives.
struct SliceKind {
  std::int64_t width = 0;
  bool accumulate = false;
  dnnl::memory::desc weights_desc;
  std::vector<dnnl::matmul> primitives;  // one a row class
};

struct Linear::Packed {
  LinearShape shape;
  const kernels::KernelTable* table;  // whose activation the results go through
  Allocator allocator;                // of the packed weights
  Slices slices;
  std::vector<SliceKind> kinds;
  std::vector<std::size_t> kind_of;  // of each slice
  std::vector<Tensor> weights;       // packed, one a slice, as raw bytes
  Tensor bias;                       // [row_stride], or not given
  std::span<const std::int64_t> classes = exact_classes;
  std::size_t scratchpad_bytes = 0;
  std::string implementation;

  std::int64_t slice_start(std::int64_t slice) const { return slice * slices.width; }
  std::int64_t slice_width(std::int64_t slice) const { return std::min(slices.width, shape.in - slice_start(slice)); }
  // The scratchpad, up to the next cache line.
  std::size_t scratchpad_room() const { return (scratchpad_bytes + 63) / 64 * 64; }
  bool pads_rows() const { return classes.front() > 1; }
  bool copies_input() const { return slices.count > 1 || pads_rows(); }

  void build(const float* weight);
  void choose_classes();
  std::size_t find_or_add_kind(std::int64_t width, bool accumulate);
  void add_kind(SliceKind kind);
  std::vector<dnnl::matmul::primitive_desc> describe(const SliceKind& kind) const;
  Tensor pack(const float* weight, std::int64_t slice) const;
};

}  // namespace headwise::projection
