// tanh x for the soft-cap. Near 0 the odd polynomial x + x·z·P(z), z = x², P of degree 4 and minimax in relative error
// on |x| ≤ 0.6 (fitted with weighted least squares on Chebyshev nodes: 2.8e-9); beyond, (1 − e)/(1 + e) with
// e = e^(−2|x|), which needs no clamp: e reaches exactly 0 and the quotient exactly 1.

static inline Batch magnitude(Batch x) {
  return float_of(bits_of(x) & IntBatch(0x7fffffff));
}

static inline Batch tanh(Batch x) {
  const Batch z = x * x;
  Batch p(-0.0058951556732403385F);
  p = xsimd::fma(p, z, Batch(0.020795969478817598F));
  p = xsimd::fma(p, z, Batch(-0.05378382958377778F));
  p = xsimd::fma(p, z, Batch(0.13331924117791105F));
  p = xsimd::fma(p, z, Batch(-0.3333329800174116F));
  const Batch size = magnitude(x);
  const Batch e = exp(size * Batch(-2.0F));
  const Batch large = divide(Batch(1.0F) - e, Batch(1.0F) + e);
  const Batch small = xsimd::fma(size * z, p, size);
  const IntBatch sign = bits_of(x) ^ bits_of(size);
  return float_of(bits_of(xsimd::select(size < Batch(0.6F), small, large)) | sign);
}

static void tanh_all(const float* x, float* y, std::int64_t n) noexcept {
  map_all(x, y, n, [](Batch lanes) { return tanh(lanes); });
}
