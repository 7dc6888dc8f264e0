// A tensor each of whose rows ends where a page begins that nobody may touch: reading one element past any row, not
// only past the last, ends the process. With at_end = false rows begin right behind such a page instead.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <new>

#include "headwise/tensor.hpp"

class GuardedRows {
 public:
  // f32, rank 2 or more.
  explicit GuardedRows(const headwise::Dims& shape, bool at_end = true) {
    const std::int64_t width = shape[shape.rank() - 1], rows = headwise::element_count(shape) / width;
    const auto page = static_cast<std::int64_t>(::sysconf(_SC_PAGESIZE)) / 4;  // floats
    const std::int64_t inner = (width + page - 1) / page * page, pitch = inner + page;
    floats_ = rows * pitch + page;
    base_ = static_cast<float*>(::mmap(nullptr, bytes(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (base_ == MAP_FAILED) throw std::bad_alloc();
    for (std::int64_t r = 0; r < rows; ++r) {
      if (::mprotect(base_ + page + r * pitch, static_cast<std::size_t>(inner) * 4, PROT_READ | PROT_WRITE) != 0) {
        throw std::bad_alloc();
      }
    }
    headwise::Dims strides = headwise::contiguous_strides(shape);
    for (int axis = 0; axis + 1 < shape.rank(); ++axis) strides[axis] = strides[axis] / width * pitch;
    float* first = base_ + page + (at_end ? inner - width : 0);
    view_ = {first, headwise::DType::f32, shape, strides};
  }
  GuardedRows(const GuardedRows&) = delete;
  GuardedRows& operator=(const GuardedRows&) = delete;
  ~GuardedRows() { ::munmap(base_, bytes()); }

  const headwise::MutableTensorView& view() const { return view_; }
  float& at(std::int64_t row, std::int64_t column) {
    const int rank = view_.shape.rank();
    return static_cast<float*>(view_.data)[row * view_.strides[rank - 2] + column];
  }
  void fill(float step) {
    const std::int64_t width = view_.shape[view_.shape.rank() - 1];
    for (std::int64_t i = 0; i < headwise::element_count(view_.shape); ++i) {
      at(i / width, i % width) = 0.01F * static_cast<float>(i % 89) - step;
    }
  }

 private:
  std::size_t bytes() const { return static_cast<std::size_t>(floats_) * 4; }

  std::int64_t floats_ = 0;
  float* base_ = nullptr;
  headwise::MutableTensorView view_;
};
