#define HEADWISE_ISA neon64
#define HEADWISE_ARCH xsimd::neon64
#include "simd/kernel.hpp"

namespace headwise::kernels {

const KernelTable neon64_table = neon64::make_table("neon64", HEADWISE_FEATURES);

}  // namespace headwise::kernels
