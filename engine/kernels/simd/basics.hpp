// Included inside the ISA-tagged namespace of each file in isa/, which first defines HEADWISE_ARCH. Everything here has
// internal linkage: nothing that was compiled with an ISA's flags can be picked by the linker for somebody else.
//
// Shape legend of this folder: W lanes of one batch; V batches side by side, so that V·W query rows form a block;
// a tile is [row][V·W] floats, row-major, one row a key (scores), a dimension (context) or a component (queries).

using Arch = HEADWISE_ARCH;
using Batch = xsimd::batch<float, Arch>;
using IntBatch = xsimd::batch<std::int32_t, Arch>;

constexpr int W = int(Batch::size);
// 32 registers hold 6 × 4 accumulators, 4 operands and a broadcast; 16 registers hold 4 × 3.
#if defined(__AVX512F__) || defined(__aarch64__)
constexpr int max_batches = 4;
constexpr int tile_rows = 6;
constexpr int score_chains = 2;
#else
constexpr int max_batches = 3;
constexpr int tile_rows = 4;
constexpr int score_chains = 1;
#endif
constexpr int query_block = max_batches * W;
// Up to here dot products beat lanes (2,048 keys, d = 64; time of attend over that of attend_slice for 1, 2, 3 and 4
// queries: AVX-512 5.6, 3.7, 2.4, 1.9; AVX2 3.6, 2.2, 1.5, 1.3; SSE2 3.2, 2.0, 1.3, 1.07).
constexpr int few_queries = W > 4 ? 4 : 3;
// Keys per softmax step: a multiple of both tile heights. Speed is within 1 % from 60 to 384 keys at d = 32, 64 and
// 128, S = 128 … 2048, so the choice goes to accuracy: the longer a plain sum, the more it loses (values of one sign,
// RMS error in eps·Σp|v| at 128 and 2,000 keys: 1.1 and 1.1 with blocks of 72, 1.4 and 0.9 with 96, 2.0 and 1.0 with
// 192, before the sum of weights was compensated).
constexpr int key_block = 96;
// Weights are summed in groups of this many.
constexpr int sum_group = 8;

constexpr float negative_infinity = -__builtin_inff();

// What takes accumulators by reference must not be a function of its own: they would live in memory, at half the speed.
#define HEADWISE_INLINE inline __attribute__((always_inline))
// g++ 12 keeps accumulators in registers only when the tile loops are unrolled completely.
#define HEADWISE_UNROLL _Pragma("GCC unroll 16")
// For a loop whose body must stand in the code once: g++ 12 finds registers for one copy of a tile better than for two.
#define HEADWISE_KEEP_LOOP _Pragma("GCC unroll 1")
// For the long loops around them: worth 1 point of peak on AVX2, where a turn is only 12 multiply-adds.
// clang++ 14 spills when it does that, and loses a third of its speed.
#ifdef __clang__
#define HEADWISE_UNROLL_FEW
#else
#define HEADWISE_UNROLL_FEW _Pragma("GCC unroll 4")
#endif

static inline std::int64_t minimum(std::int64_t a, std::int64_t b) {
  return a < b ? a : b;
}
static inline std::int64_t maximum(std::int64_t a, std::int64_t b) {
  return a < b ? b : a;
}

static inline IntBatch bits_of(Batch x) {
#if XSIMD_VERSION_MAJOR > 8
  return xsimd::bitwise_cast<std::int32_t>(x);
#else
  return xsimd::bitwise_cast<IntBatch>(x);
#endif
}
static inline Batch float_of(IntBatch x) {
#if XSIMD_VERSION_MAJOR > 8
  return xsimd::bitwise_cast<float>(x);
#else
  return xsimd::bitwise_cast<Batch>(x);
#endif
}

// Exact, which the division of xsimd 8.1 is not on NEON.
static inline Batch divide(Batch a, Batch b) {
  const typename Batch::register_type x = a;
  const typename Batch::register_type y = b;
  return Batch(x / y);
}
