#define HEADWISE_ISA avx2
#define HEADWISE_ARCH xsimd::fma3<xsimd::avx2>
#include "simd/kernel.hpp"

namespace headwise::kernels {

const KernelTable avx2_table = {"avx2",       HEADWISE_FEATURES, avx2::query_block, avx2::scratch_bytes,
                                avx2::attend, avx2::exp_all,     avx2::fma_burst};

}  // namespace headwise::kernels
