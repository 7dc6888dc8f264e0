#define HEADWISE_ISA avx512
#define HEADWISE_ARCH xsimd::avx512bw
#include "simd/kernel.hpp"

namespace headwise::kernels {

const KernelTable avx512_table = {"avx512",       HEADWISE_FEATURES, avx512::query_block, avx512::scratch_bytes,
                                  avx512::attend, avx512::exp_all,   avx512::fma_burst};

}  // namespace headwise::kernels
