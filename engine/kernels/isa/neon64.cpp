#define HEADWISE_ISA neon64
#define HEADWISE_ARCH xsimd::neon64
#include "simd/kernel.hpp"

namespace headwise::kernels {

const KernelTable neon64_table = {"neon64",       HEADWISE_FEATURES, neon64::query_block, neon64::scratch_bytes,
                                  neon64::attend, neon64::exp_all,   neon64::fma_burst};

}  // namespace headwise::kernels
