// Rows of any width: whole batches, then what is left over through a copy, since nothing past a row may be touched.

// `count` < W numbers, the lanes behind them filled.
static inline Batch load_part(const float* from, std::int64_t count, Batch fill) {
  float lanes[W];
  fill.store_unaligned(lanes);
  __builtin_memcpy(lanes, from, std::size_t(count) * sizeof(float));
  return Batch::load_unaligned(lanes);
}

static inline void store_part(Batch x, float* to, std::int64_t count) {
  float lanes[W];
  x.store_unaligned(lanes);
  __builtin_memcpy(to, lanes, std::size_t(count) * sizeof(float));
}
