// Layer normalisation of rows, each on its own. The mean is taken twice: the second time of the differences from the
// first, whose sum is what rounding had left over (the corrected two-pass algorithm, Chan et al. 1983).

constexpr int norm_chains = 4;  // additions have a latency of 3 or 4 cycles

// The sum of the lanes, in all of them.
template <int Lanes = 1>
static inline Batch fold_sum(Batch x) {
  if constexpr (Lanes < W) {
    return fold_sum<2 * Lanes>(x + swap_lanes<Lanes>(x, std::make_integer_sequence<int, W>()));
  } else {
    return x;
  }
}

// Sums of a row's lanes in chains.
struct LaneSums {
  Batch chain[norm_chains] = {Batch(0.0F), Batch(0.0F), Batch(0.0F), Batch(0.0F)};
  float total() const { return fold_sum((chain[0] + chain[1]) + (chain[2] + chain[3])).get(0); }
};

// Calls function(column, chain) for every whole batch and part(column, count) for what is left.
template <class Function, class Part>
static HEADWISE_INLINE void each_batch(std::int64_t columns, Function function, Part part) {
  std::int64_t c = 0;
  for (; c + norm_chains * W <= columns; c += norm_chains * W) {
    HEADWISE_UNROLL
    for (int i = 0; i < norm_chains; ++i) function(c + i * W, i);
  }
  for (; c + W <= columns; c += W) function(c, 0);
  if (c < columns) part(c, columns - c);
}

// s = x + residual into y; returns its mean.
static inline float add_rows(const float* x, const float* residual, float* y, std::int64_t columns) {
  LaneSums sums;
  const auto add = [&](Batch s, int chain) {
    sums.chain[chain] = sums.chain[chain] + s;
    return s;
  };
  const Batch zero(0.0F);
  each_batch(
      columns,
      [&](std::int64_t c, int i) {
        const Batch more = residual == nullptr ? zero : Batch::load_unaligned(residual + c);
        add(Batch::load_unaligned(x + c) + more, i).store_unaligned(y + c);
      },
      [&](std::int64_t c, std::int64_t rest) {
        const Batch more = residual == nullptr ? zero : load_part(residual + c, rest, zero);
        store_part(add(load_part(x + c, rest, zero) + more, 0), y + c, rest);
      });
  return sums.total() / float(columns);
}

// The mean is the sum of two numbers: that of a row far from zero has too few digits for what is left of the row.
struct Moments {
  float mean, rest, variance;
};

// Of s, from a mean that is right but for rounding.
static inline Moments moments(const float* s, std::int64_t columns, float mean) {
  LaneSums sums, squares;
  const auto add = [&](Batch x, int i) {
    const Batch difference = x - Batch(mean);
    sums.chain[i] = sums.chain[i] + difference;
    squares.chain[i] = xsimd::fma(difference, difference, squares.chain[i]);
  };
  each_batch(
      columns, [&](std::int64_t c, int i) { add(Batch::load_unaligned(s + c), i); },
      [&](std::int64_t c, std::int64_t rest) { add(load_part(s + c, rest, Batch(mean)), 0); });
  const float rest = sums.total() / float(columns);
  const float variance = squares.total() / float(columns) - rest * rest;
  return {mean, rest, variance < 0 ? 0 : variance};  // rounding can leave less than 0 of equal numbers
}

static inline void scale_row(const NormTask& task, float* y, Moments of) {
  const Batch mean(of.mean), more(of.rest), factor(1 / __builtin_sqrtf(of.variance + task.epsilon));
  const auto scaled = [&](Batch x, Batch gamma, Batch beta) {
    return xsimd::fma((x - mean - more) * factor, gamma, beta);
  };
  each_batch(
      task.columns,
      [&](std::int64_t c, int) {
        const Batch gamma = Batch::load_unaligned(task.gamma + c), beta = Batch::load_unaligned(task.beta + c);
        scaled(Batch::load_unaligned(y + c), gamma, beta).store_unaligned(y + c);
      },
      [&](std::int64_t c, std::int64_t rest) {
        const auto part = [&](const float* from) { return load_part(from + c, rest, Batch(0.0F)); };
        store_part(scaled(part(y), part(task.gamma), part(task.beta)), y + c, rest);
      });
}

static void layer_norm(const NormTask& task) noexcept {
  for (std::int64_t r = 0; r < task.rows; ++r) {
    const float* residual = task.residual == nullptr ? nullptr : task.residual + r * task.residual_stride;
    float* y = task.y + r * task.y_stride;
    const float mean = add_rows(task.x + r * task.x_stride, residual, y, task.columns);
    scale_row(task, y, moments(y, task.columns, mean));
  }
}
