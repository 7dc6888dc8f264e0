// eˣ by range reduction: n = round(x·log2 e), r = x − n·ln 2 in two steps (Cody and Waite), eˣ = 2ⁿ·eʳ with a
// polynomial of degree 6 that is minimax on |r| ≤ ln 2 / 2 with the first two coefficients fixed at 1, so that e⁰ is
// exactly 1 (relative error of the polynomial 3.1e-9; degree 5 reaches 1.05e-7, too near to the 2 ULP that are
// promised). Results below the smallest normal number are 0: a subnormal weight would slow the products that follow.

static inline Batch exp(Batch x) {
  constexpr float smallest = -87.33654F;      // ln of the smallest normal float
  constexpr float magic = 12582912.0F + 127;  // 1.5·2²³ rounds to an integer; 127 is the exponent bias
  const Batch shifted = xsimd::fma(x, Batch(1.44269504F), Batch(magic));
  const Batch n = shifted - Batch(magic);
  Batch r = xsimd::fma(n, Batch(-0.693359375F), x);
  r = xsimd::fma(n, Batch(2.12194440e-4F), r);
  Batch p(0.0013814540176801306F);
  p = xsimd::fma(p, r, Batch(0.008368745108942591F));
  p = xsimd::fma(p, r, Batch(0.041668390783547914F));
  p = xsimd::fma(p, r, Batch(0.1666652039904253F));
  p = xsimd::fma(p, r, Batch(0.4999999343212929F));
  p = xsimd::fma(p, r, Batch(1.0F));
  p = xsimd::fma(p, r, Batch(1.0F));
  const Batch power = float_of(bits_of(shifted) << 23);               // 2ⁿ
  return xsimd::select(x < Batch(smallest), Batch(0.0F), p * power);  // a NaN is not below anything and stays
}

template <class Function>
static inline void map_all(const float* x, float* y, std::int64_t n, Function function) {
  float lanes[W] = {};
  for (std::int64_t i = 0; i < n; i += W) {
    const auto count = std::size_t(minimum(W, n - i)) * sizeof(float);
    __builtin_memcpy(lanes, x + i, count);
    function(Batch::load_unaligned(lanes)).store_unaligned(lanes);
    __builtin_memcpy(y + i, lanes, count);
  }
}

static void exp_all(const float* x, float* y, std::int64_t n) noexcept {
  map_all(x, y, n, [](Batch lanes) { return exp(lanes); });
}

// One number: the same bits as in a batch, since every lane is computed alike.
static inline float exp_one(float x) {
  float y;
  exp_all(&x, &y, 1);
  return y;
}
