// Between rows in memory (one query each) and tiles (one query a lane).

// One stage of the perfect shuffle: interleaves a and b over the full width.
template <int... I>
static inline void interleave(Batch& a, Batch& b, std::integer_sequence<int, I...>) {
  using Register = typename Batch::register_type;
  const Register x = a;
  const Register y = b;
  a = Batch(__builtin_shufflevector(x, y, (I / 2 + I % 2 * W)...));
  b = Batch(__builtin_shufflevector(x, y, (W / 2 + I / 2 + I % 2 * W)...));
}

// Transposes W × W numbers in registers: log2 W stages, each interleaving batch i with batch i + W/2. Recursion instead
// of a loop: g++ would leave the stages rolled and the batches in memory.
template <int Stages>
static inline void shuffle_stages(Batch (&m)[W]) {
  if constexpr (Stages > 0) {
    Batch next[W];
    HEADWISE_UNROLL
    for (int i = 0; i < W / 2; ++i) {
      next[2 * i] = m[i];
      next[2 * i + 1] = m[i + W / 2];
      interleave(next[2 * i], next[2 * i + 1], std::make_integer_sequence<int, W>());
    }
    shuffle_stages<Stages - 1>(next);
    HEADWISE_UNROLL
    for (int i = 0; i < W; ++i) m[i] = next[i];
  }
}

static inline void transpose(Batch (&m)[W]) {
  shuffle_stages<W == 16 ? 4 : W == 8 ? 3 : 2>(m);
}

// tile[c][lane] = factor · rows[lane][c] for c < width. Lanes past num_rows repeat the last row, so that they hold
// ordinary numbers; nobody reads their results.
static void load_transposed(ConstRows rows, std::int64_t num_rows, std::int64_t width, float factor, float* tile,
                            int lanes) {
  for (int first = 0; first < lanes; first += W) {
    const float* row[W];
    for (int i = 0; i < W; ++i) row[i] = rows.data + minimum(first + i, num_rows - 1) * rows.stride;
    std::int64_t c = 0;
    for (; c + W <= width; c += W) {
      Batch m[W];
      HEADWISE_UNROLL
      for (int i = 0; i < W; ++i) m[i] = Batch::load_unaligned(row[i] + c) * Batch(factor);
      transpose(m);
      HEADWISE_UNROLL
      for (int i = 0; i < W; ++i) m[i].store_aligned(tile + (c + i) * lanes + first);
    }
    for (; c < width; ++c) {
      for (int i = 0; i < W; ++i) tile[c * lanes + first + i] = row[i][c] * factor;
    }
  }
}

// rows[lane][c] = tile[c][lane] · factor[lane] for lane < num_rows and c < width; no factor means 1.
static void store_transposed(const float* tile, int lanes, const float* factor, Rows rows, std::int64_t num_rows,
                             std::int64_t width) {
  for (std::int64_t first = 0; first < num_rows; first += W) {
    const std::int64_t count = minimum(W, num_rows - first);
    float* out = rows.data + first * rows.stride;
    const Batch scale = factor == nullptr ? Batch(1.0F) : Batch::load_aligned(factor + first);
    std::int64_t c = 0;
    for (; c + W <= width; c += W) {
      Batch m[W];
      HEADWISE_UNROLL
      for (int i = 0; i < W; ++i) m[i] = Batch::load_aligned(tile + (c + i) * lanes + first) * scale;
      transpose(m);
      for (int i = 0; i < W; ++i) {
        if (i < count) m[i].store_unaligned(out + i * rows.stride + c);
      }
    }
    for (; c < width; ++c) {
      for (std::int64_t i = 0; i < count; ++i) {
        out[i * rows.stride + c] = tile[c * lanes + first + i] * (factor == nullptr ? 1.0F : factor[first + i]);
      }
    }
  }
}
