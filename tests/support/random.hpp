// Seeded numbers that are the same on every machine; tests print the seed that they use.
#pragma once

#include <cstdint>
#include <vector>

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  // splitmix64
  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15U);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(n)); }
  bool chance(double probability) { return double(bits() >> 11) * 0x1p-53 < probability; }
  float uniform(float low, float high) { return low + (high - low) * (float(bits() >> 40) * 0x1p-24F); }
  template <class Floats>
  void fill(Floats& floats, float low, float high) {
    for (float& x : floats) x = uniform(low, high);
  }
  void fill(float* floats, std::int64_t count, float low, float high) {
    for (std::int64_t i = 0; i < count; ++i) floats[i] = uniform(low, high);
  }

 private:
  std::uint64_t state_;
};
