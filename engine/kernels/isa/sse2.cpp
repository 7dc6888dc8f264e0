#define HEADWISE_ISA sse2
#define HEADWISE_ARCH xsimd::sse2
#include "simd/kernel.hpp"

namespace headwise::kernels {

const KernelTable sse2_table = sse2::make_table("sse2", HEADWISE_FEATURES);

}  // namespace headwise::kernels
