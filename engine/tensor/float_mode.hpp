// The floating-point mode that headwise computes in.
#pragma once

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace headwise {

// While it lives, the calling thread rounds to nearest, keeps subnormal numbers and traps nothing; afterwards its mode
// and its exception flags are those from before. A host may have set another mode, its threads and those of a team each
// their own, and bits must not depend on that. Takes about 10 ns.
class FloatMode {
 public:
  FloatMode() noexcept : before_(read()) { write(standard); }
  ~FloatMode() { write(before_); }
  FloatMode(const FloatMode&) = delete;
  FloatMode& operator=(const FloatMode&) = delete;

 private:
#if defined(__SSE2__)
  using Register = unsigned;
  static constexpr Register standard = 0x1F80;  // MXCSR: all exceptions masked
  static Register read() noexcept {
    return _mm_getcsr();
  }
  static void write(Register value) noexcept {
    _mm_setcsr(value);
  }
#elif defined(__aarch64__)
  using Register = unsigned long;
  static constexpr Register standard = 0;  // FPCR; the flags are in another register
  static Register read() noexcept {
    Register value;
    asm volatile("mrs %0, fpcr" : "=r"(value));
    return value;
  }
  static void write(Register value) noexcept {
    asm volatile("msr fpcr, %0" : : "r"(value) : "memory");
  }
#else
  using Register = int;
  static constexpr Register standard = 0;
  static Register read() noexcept {
    return 0;
  }
  static void write(Register) noexcept {}
#endif

  Register before_;
};

}  // namespace headwise
