// Activations. All but ReLU have the form max(x, 0) − |x|·q(|x|) with a q that falls from 1/2 to 0, so that both signs
// take one way and small results of negative x keep their digits.

// a·b − product exactly, where product is a·b rounded. Written as a difference the compiler would make it 0, and so
// are the fused operations of xsimd 8.1 for AVX-512. Without such operations the halves of a and b have exact products.
static inline Batch product_error(Batch a, Batch b, Batch product) {
#if defined(__AVX512F__)
  return Batch(_mm512_fmsub_ps(a, b, product));
#elif defined(__FMA__) || defined(__aarch64__)
  return xsimd::fms(a, b, product);
#else
  const IntBatch upper(-4096);
  const Batch high_a = float_of(bits_of(a) & upper), high_b = float_of(bits_of(b) & upper);
  return (high_a * high_b - product) + (high_a * (b - high_b) + (a - high_a) * b);
#endif
}

// |x|, but at most what makes q 0, past which infinity times 0 would be NaN. A NaN stays: min takes the second of its
// operands when one is NaN.
static inline Batch bounded_size(Batch x, float most) {
  return xsimd::min(Batch(most), magnitude(x));
}

// t·Φ(−t), Φ(−t) = e^(−t²/2)·R(t) with R(t) = erfcx(t/√2)/2 as a quotient of polynomials on [0, 13.3], minimax in
// relative error (fitted with weighted least squares: 5e-9). All coefficients are positive, so nothing cancels. The
// rounding error of t² would be t²/2 ULP of the result, so it is carried along.
static inline Batch gelu_tail(Batch t) {
  const Batch half = t * Batch(-0.5F);
  const Batch exponent = half * t;
  const Batch e = exp_corrected(exponent, product_error(half, t, exponent));
  Batch p(0.00402018381F);
  p = xsimd::fma(p, t, Batch(0.0399841256F));
  p = xsimd::fma(p, t, Batch(0.181306615F));
  p = xsimd::fma(p, t, Batch(0.435686141F));
  p = xsimd::fma(p, t, Batch(0.5F));
  Batch d(0.0100769633F);
  d = xsimd::fma(d, t, Batch(0.10023272F));
  d = xsimd::fma(d, t, Batch(0.464379966F));
  d = xsimd::fma(d, t, Batch(1.19448364F));
  d = xsimd::fma(d, t, Batch(1.66925716F));
  d = xsimd::fma(d, t, Batch(1.0F));
  return divide(t * e * p, d);
}

static inline Batch gelu(Batch x) {
  return xsimd::max(Batch(0.0F), x) - gelu_tail(bounded_size(x, 14));
}

// t·s/(1 + s) with s = e^−y: t times the logistic function of −y.
static inline Batch logistic_tail(Batch t, Batch y) {
  const Batch e = exp(-y);
  return divide(t * e, Batch(1.0F) + e);
}

static inline Batch silu(Batch x) {
  const Batch t = bounded_size(x, 89);
  return xsimd::max(Batch(0.0F), x) - logistic_tail(t, t);
}

// (1 + tanh u)/2 is the logistic function of 2u. u is 46 where |x| is 10.
static inline Batch gelu_tanh(Batch x) {
  const Batch t = bounded_size(x, 11);
  const Batch y = t * xsimd::fma(t * t, Batch(0.0713548163F), Batch(1.59576912F));
  return xsimd::max(Batch(0.0F), x) - logistic_tail(t, y);
}

static inline Batch relu(Batch x) {
  return xsimd::max(Batch(0.0F), x);
}

template <class Function>
static inline void activate_rows(const ActivateTask& task, Function function) {
  for (std::int64_t r = 0; r < task.rows; ++r) {
    float* x = task.x + r * task.stride;
    std::int64_t c = 0;
    for (; c + W <= task.columns; c += W) function(Batch::load_unaligned(x + c)).store_unaligned(x + c);
    const std::int64_t rest = task.columns - c;
    if (rest > 0) store_part(function(load_part(x + c, rest, Batch(0.0F))), x + c, rest);
  }
}

// A function of its own: within the products it would take registers from the sums.
static __attribute__((noinline)) void activate(const ActivateTask& task) noexcept {
  switch (task.activation) {
    case Activation::none:
      return;
    case Activation::gelu:
      return activate_rows(task, [](Batch x) { return gelu(x); });
    case Activation::gelu_tanh:
      return activate_rows(task, [](Batch x) { return gelu_tanh(x); });
    case Activation::relu:
      return activate_rows(task, [](Batch x) { return relu(x); });
    case Activation::silu:
      return activate_rows(task, [](Batch x) { return silu(x); });
  }
}
