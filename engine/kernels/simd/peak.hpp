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

// As many loads as the core can issue, front to back, `passes` times over `bytes` (a multiple of 1024) at data (64-byte
// aligned): the limit that decoding is held against. The bits are joined by "or", which every CPU does at least as fast
// as it loads, into eight independent values. Returns the bytes read.
static double read_burst(const float* data, std::int64_t bytes, std::int64_t passes, float* sink) noexcept {
  constexpr int parts = 8;
  const auto* words = reinterpret_cast<const std::int32_t*>(data);
  IntBatch seen[parts];
  HEADWISE_UNROLL
  for (int i = 0; i < parts; ++i) seen[i] = IntBatch(0);
  for (std::int64_t n = 0; n < passes; ++n) {
    for (std::int64_t at = 0; at < bytes / 4; at += parts * W) {
      HEADWISE_UNROLL
      for (int i = 0; i < parts; ++i) seen[i] = seen[i] | IntBatch::load_aligned(words + at + i * W);
    }
    asm volatile("" ::: "memory");  // every pass reads anew
  }
  HEADWISE_UNROLL
  for (int i = 1; i < parts; ++i) seen[0] = seen[0] | seen[i];
  float_of(seen[0]).store_unaligned(sink);
  return double(bytes) * double(passes);
}
