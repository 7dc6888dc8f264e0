// The kernel source, compiled once for every ISA. A file in isa/ defines HEADWISE_ISA (the namespace), HEADWISE_ARCH
// (the xsimd architecture) and includes this.
#include <cstddef>
#include <cstdint>
#include <utility>
#include <xsimd/xsimd.hpp>

#include "attend.hpp"
#include "tables.hpp"

namespace headwise::kernels::HEADWISE_ISA {
namespace {

#include "simd/basics.hpp"
//
#include "simd/exp.hpp"
#include "simd/transpose.hpp"
//
#include "simd/scratch.hpp"
#include "simd/tiles.hpp"
//
#include "simd/key_blocks.hpp"
#include "simd/softmax.hpp"
#include "simd/weights.hpp"
//
#include "simd/attend_block.hpp"
#include "simd/peak.hpp"

}  // namespace
}  // namespace headwise::kernels::HEADWISE_ISA
