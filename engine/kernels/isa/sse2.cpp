#define HEADWISE_ISA sse2
#define HEADWISE_ARCH xsimd::sse2
#include "simd/kernel.hpp"

namespace headwise::kernels {

const KernelTable sse2_table = {"sse2",       HEADWISE_FEATURES, sse2::query_block, sse2::scratch_bytes,
                                sse2::attend, sse2::exp_all,     sse2::fma_burst};

}  // namespace headwise::kernels
