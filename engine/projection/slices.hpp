// The input features are summed in slices. One long chain of f32 additions, as oneDNN's kernel makes it, loses √2 more
// than the two chains of PyTorch's MKL (K = 384: RMS 2.3e-6 against 1.6e-6 for inputs in ±1); slices that are summed on
// their own and then added lose less than both, for 1 to 2 % of the time.
#pragma once

#include <algorithm>
#include <cstdint>

namespace headwise::projection {

struct Slices {
  std::int64_t count = 1;
  std::int64_t width = 0;  // of every slice but the last, which may be narrower
};

constexpr Slices make_slices(std::int64_t in) {
  constexpr std::int64_t features = 64;
  constexpr std::int64_t most = 6;
  const std::int64_t wanted = std::min((in + features - 1) / features, most);
  if (wanted == 1) return {1, in};
  const std::int64_t width = ((in + wanted - 1) / wanted + 15) / 16 * 16;
  return {(in + width - 1) / width, width};
}

}  // namespace headwise::projection
