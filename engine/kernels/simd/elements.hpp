// Half-precision numbers as floats, in integer and float arithmetic that vectorises on every ISA.

static inline float float_from_bits(std::uint32_t bits) {
  float result;
  __builtin_memcpy(&result, &bits, sizeof result);
  return result;
}

static inline std::uint32_t bits_from_float(float x) {
  std::uint32_t bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}

struct ReadF32 {
  using Stored = float;
  static inline float value(float x) { return x; }
};

struct ReadBf16 {
  using Stored = std::uint16_t;
  static inline float value(std::uint16_t x) { return float_from_bits(std::uint32_t(x) << 16); }
};

// Subnormal halves come from their mantissa as an integer: a product with a subnormal float would depend on the modes
// (flush to zero) of the caller's thread.
struct ReadF16 {
  using Stored = std::uint16_t;
  static inline float value(std::uint16_t x) {
    const std::uint32_t exponent = x & 0x7c00U;
    const std::uint32_t rebias = 112U << 23;
    const std::uint32_t is_subnormal = 0U - std::uint32_t(exponent == 0);  // masks, since g++ makes jumps of a choice
    const std::uint32_t is_special = 0U - std::uint32_t(exponent == 0x7c00U);  // infinity and NaN
    const std::uint32_t normal = (std::uint32_t(x & 0x7fffU) << 13) + rebias + (rebias & is_special);
    const std::uint32_t subnormal = bits_from_float(float(std::int32_t(x & 0x3ffU)) * 0x1p-24F);
    const std::uint32_t size = (subnormal & is_subnormal) | (normal & ~is_subnormal);
    return float_from_bits(size | std::uint32_t(x & 0x8000U) << 16);
  }
};

// Calls function with the reader of an element type.
template <class Function>
static inline void with_reader(Element element, Function function) {
  if (element == Element::f16) return function(ReadF16());
  if (element == Element::bf16) return function(ReadBf16());
  function(ReadF32());
}
