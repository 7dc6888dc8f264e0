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
#include "simd/elements.hpp"
#include "simd/exp.hpp"
#include "simd/lanes.hpp"
#include "simd/tanh.hpp"
#include "simd/transpose.hpp"
//
#include "simd/scratch.hpp"
#include "simd/tile_forms.hpp"
#include "simd/tiles.hpp"
//
#include "simd/mask_rows.hpp"
//
#include "simd/key_blocks.hpp"
//
#include "simd/key_rows.hpp"
#include "simd/modifiers.hpp"
#include "simd/softmax.hpp"
#include "simd/weights.hpp"
//
#include "simd/rows.hpp"
#include "simd/walk.hpp"
//
#include "simd/attend_block.hpp"
#include "simd/few_keys.hpp"
//
#include "simd/activate.hpp"
#include "simd/few.hpp"
#include "simd/norm.hpp"
#include "simd/peak.hpp"
#include "simd/position.hpp"
#include "simd/product.hpp"
#include "simd/score.hpp"
#include "simd/slices.hpp"

// Two roundings a step lose too much in long sums: where there is no fused multiply-add, products are left to oneDNN
// (all-MiniLM-L6-v2 on SSE2: largest error of layer 0 1.7e-6 instead of 7.9e-7).
#if defined(__FMA__) || defined(__aarch64__)
constexpr auto pack_panel = pack;
constexpr auto multiply_panels = multiply;
#else
constexpr decltype(KernelTable::pack) pack_panel = nullptr;
constexpr decltype(KernelTable::multiply) multiply_panels = nullptr;
#endif

// Every file in isa/ makes one of these from its own flags.
constexpr KernelTable make_table(const char* isa, const char* features) {
  return {isa,        features, query_block, few_queries, scratch_bytes, attend,     attend_slice,
          merge,      score,    scan,        position,    query_block,   pack_panel, multiply_panels,
          layer_norm, activate, exp_all,     tanh_all,    fma_burst,     read_burst};
}

}  // namespace
}  // namespace headwise::kernels::HEADWISE_ISA
