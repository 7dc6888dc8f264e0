// A product for tests of Linear, and its runs in guarded memory.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <memory>
#include <vector>

#include "attend.hpp"
#include "guarded.hpp"
#include "linear.hpp"
#include "random.hpp"

using headwise::projection::Linear;
using headwise::projection::LinearCall;
using headwise::projection::LinearShape;
using headwise::projection::SingleThread;

namespace kernels = headwise::kernels;

// Every product that this machine runs; nullptr is oneDNN's.
inline std::vector<const kernels::KernelTable*> products() {
  std::vector<const kernels::KernelTable*> found{nullptr};
  const kernels::KernelList list = kernels::compiled_kernels();
  for (int i = 0; i < list.count; ++i) {
    if (list.tables[i]->multiply != nullptr && kernels::cpu_supports(*list.tables[i])) found.push_back(list.tables[i]);
  }
  return found;
}

inline const char* name_of(const kernels::KernelTable* product) {
  return product == nullptr ? "oneDNN" : product->isa;
}

struct Case {
  std::vector<float> weight, bias;
  LinearShape shape;

  Case(Random& random, const LinearShape& s) : weight(std::size_t(s.in * s.out)), bias(std::size_t(s.out)), shape(s) {
    random.fill(weight, -1, 1);
    random.fill(bias, -1, 1);
  }
};

// Memory ends at guard pages, so that a kernel that reads or writes a row too many is caught.
inline void run(const Linear& linear, GuardedFloats& x, std::int64_t rows, GuardedFloats& y) {
  LinearCall call(linear);
  const std::unique_ptr<void, decltype(&std::free)> scratch(
      std::aligned_alloc(64, (linear.scratch_bytes() + 127) / 64 * 64), &std::free);
  const SingleThread guard;
  REQUIRE(call.run({x.data(), rows, y.data()}, {}, scratch.get()));
}
