// As many fused multiply-adds as the core can issue: the limit that GF/s figures are held against. Twelve independent
// sums cover a latency of 4 cycles on two ports with room to spare. No
// start value is a fixed point of x·a + b, or the compiler would drop that sum.
static double fma_burst(std::int64_t iterations, float* sink) noexcept {
  constexpr int sums = 12;
  Batch sum[sums];
  HEADWISE_UNROLL
  for (int i = 0; i < sums; ++i) sum[i] = Batch(float(i) + 0.5F);
  const Batch a(0.999F);
  const Batch b(0.001F);
  for (std::int64_t n = 0; n < iterations; ++n) {
    HEADWISE_UNROLL
    for (int i = 0; i < sums; ++i) sum[i] = xsimd::fma(sum[i], a, b);
  }
  HEADWISE_UNROLL
  for (int i = 1; i < sums; ++i) sum[0] = sum[0] + sum[i];
  sum[0].store_unaligned(sink);
  return 2.0 * W * sums * double(iterations);
}
