// eˣ for x ≤ 0 by range reduction: n = round(x·log2 e) to a multiple of 1/steps, r = x − n·ln 2 in two steps (Cody and
// Waite), eˣ = 2ⁿ·eʳ. With 8 or 16 lanes a permutation of one register is a table of 2^(j/steps), which leaves so small
// an r that degree 3 will do; with 4 lanes n is an integer and the polynomial has degree 6. Both polynomials are
// minimax with their first two coefficients fixed at 1, so that e⁰ is exactly 1 (relative error 1.6e-9 with 16
// steps, 2.7e-8 with 8, 3.1e-9 without a table; 2 ULP are promised). The table saves 3 of 10 operations of the pipes
// that the products need too: softmax at d = 64 took 19 % of the time of one product and takes 12 (AVX-512), 28 and 19
// (AVX2). Results below the smallest normal number are 0 or another number below it, and e^−∞ is exactly 0.

template <int Steps>
struct ExpTable;

// Entry j: the mantissa bits of 2^(j/steps) without those of j itself, which come with the exponent.
template <>
struct ExpTable<8> {
  static constexpr int bits = 3;
  static constexpr float second = 0.50006479F, third = 0.16664298F;
  alignas(32) static constexpr std::int32_t entries[8] = {0,           -0x00046a3e, -0x0007c810, -0x000a0129,
                                                          -0x000afb0d, -0x000a98d6, -0x0008bb03, -0x00053f39};
};
template <>
struct ExpTable<16> {
  static constexpr int bits = 4;
  static constexpr float second = 0.5000162F, third = 0.16666074F;
  alignas(64) static constexpr std::int32_t entries[16] = {
      0,           -0x0002553d, -0x00046a3e, -0x00063c2d, -0x0007c810, -0x00090ace, -0x000a0129, -0x000aa7c1,
      -0x000afb0d, -0x000af75c, -0x000a98d6, -0x0009db74, -0x0008bb03, -0x00073321, -0x00053f39, -0x0002da83};
};

#if defined(__AVX512F__)
static inline IntBatch look_up(const std::int32_t* entries, IntBatch index) {
  return IntBatch(_mm512_permutexvar_epi32(index, _mm512_load_si512(entries)));
}
#elif defined(__AVX2__)
static inline IntBatch look_up(const std::int32_t* entries, IntBatch index) {
  return IntBatch(_mm256_permutevar8x32_epi32(_mm256_load_si256(reinterpret_cast<const __m256i*>(entries)), index));
}
#endif

// What both forms share: the number whose low mantissa bits are n·steps, biased as an exponent is, and r.
struct Reduced {
  IntBatch steps;
  Batch rest;
};

template <int Bits>
static inline Reduced reduce(Batch x) {
  constexpr float magic = 12582912.0F / (1 << Bits) + 127;  // 1.5·2²³ / steps rounds to a multiple of 1/steps
  const Batch shifted = xsimd::fma(x, Batch(1.44269504F), Batch(magic));
  const Batch n = shifted - Batch(magic);
  const Batch r = xsimd::fma(n, Batch(-0.693359375F), x);
  return {bits_of(shifted), xsimd::fma(n, Batch(2.12194440e-4F), r)};
}

template <int Steps>
static inline Batch exp_by_table(const Reduced& x) {
  using Table = ExpTable<Steps>;
  const Batch power = float_of((x.steps << (23 - Table::bits)) + look_up(Table::entries, x.steps));  // 2ⁿ
  const Batch p = xsimd::fma(xsimd::fma(Batch(Table::third), x.rest, Batch(Table::second)), x.rest, Batch(1.0F));
  return xsimd::fma(power, p * x.rest, power);
}

static inline Batch exp_by_polynomial(const Reduced& x) {
  Batch p(0.0013814540176801306F);
  p = xsimd::fma(p, x.rest, Batch(0.008368745108942591F));
  p = xsimd::fma(p, x.rest, Batch(0.041668390783547914F));
  p = xsimd::fma(p, x.rest, Batch(0.1666652039904253F));
  p = xsimd::fma(p, x.rest, Batch(0.4999999343212929F));
  p = xsimd::fma(p, x.rest, Batch(1.0F));
  p = xsimd::fma(p, x.rest, Batch(1.0F));
  return p * float_of(x.steps << 23);
}

// The limit gives n = −127, whose biased exponent of 0 makes 2ⁿ exactly 0. It stands first: max takes the second of its
// operands when one is NaN.
static inline Reduced reduce_limited(Batch x) {
  constexpr int bits = W > 8 ? 4 : (W > 4 ? 3 : 0);
  return reduce<bits>(xsimd::max(Batch(-88.0297F), x));
}

static inline Batch exp_reduced(const Reduced& x) {
  if constexpr (W > 4) {
    return exp_by_table<W>(x);
  } else {
    return exp_by_polynomial(x);
  }
}

static inline Batch exp(Batch x) {
  return exp_reduced(reduce_limited(x));
}

// e^(x + error) for an error of less than the steps, such as that of rounding x.
static inline Batch exp_corrected(Batch x, Batch error) {
  const auto [steps, rest] = reduce_limited(x);
  return exp_reduced({steps, rest + error});
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
