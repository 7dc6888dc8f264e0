#define HEADWISE_ISA avx512
#define HEADWISE_ARCH xsimd::avx512bw
#include "simd/kernel.hpp"

namespace headwise::kernels {

const KernelTable avx512_table = avx512::make_table("avx512", HEADWISE_FEATURES);

}  // namespace headwise::kernels
