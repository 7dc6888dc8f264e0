#define HEADWISE_ISA avx2
#define HEADWISE_ARCH xsimd::fma3<xsimd::avx2>
#include "simd/kernel.hpp"

namespace headwise::kernels {

const KernelTable avx2_table = avx2::make_table("avx2", HEADWISE_FEATURES);

}  // namespace headwise::kernels
