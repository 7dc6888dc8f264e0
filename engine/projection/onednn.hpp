// The one adapter between headwise and the versions of oneDNN: 2.6 describes an operation with matmul::desc, 3.x builds
// the primitive descriptor directly.
#pragma once

#include "onednn_library.hpp"

namespace headwise::projection {

// One engine for the process; oneDNN's CPU engine holds no state of a caller.
const dnnl::engine& cpu_engine();

struct MatmulDescs {
  dnnl::memory::desc source, weights, destination;
  bool accumulate = false;  // add to the destination instead of overwriting it
};

// Scratchpad memory is the caller's, so that executing allocates none.
dnnl::matmul::primitive_desc describe_matmul(const MatmulDescs& descs);

// A row-major f32 matrix.
dnnl::memory::desc dense_matrix(std::int64_t rows, std::int64_t columns);

}  // namespace headwise::projection
