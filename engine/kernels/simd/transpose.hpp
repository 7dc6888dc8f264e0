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

// Four columns of W rows, or the other way round. Batch j holds row j of every four, so that numbers change places
// inside 16 bytes only. Without this, heads of 8 spent a third of their time in the loops that move single numbers.
typedef float Quad __attribute__((vector_size(16), aligned(4), may_alias));

template <int... I>
static inline void transpose_quads(Batch (&m)[4], std::integer_sequence<int, I...>) {
  using Register = typename Batch::register_type;
  const Register a = m[0], b = m[1], c = m[2], d = m[3];
  const Register ab = __builtin_shufflevector(a, b, (I / 4 * 4 + I % 4 / 2 + I % 2 * W)...);
  const Register ab_high = __builtin_shufflevector(a, b, (I / 4 * 4 + 2 + I % 4 / 2 + I % 2 * W)...);
  const Register cd = __builtin_shufflevector(c, d, (I / 4 * 4 + I % 4 / 2 + I % 2 * W)...);
  const Register cd_high = __builtin_shufflevector(c, d, (I / 4 * 4 + 2 + I % 4 / 2 + I % 2 * W)...);
  m[0] = Batch(__builtin_shufflevector(ab, cd, (I / 4 * 4 + I % 2 + I % 4 / 2 * W)...));
  m[1] = Batch(__builtin_shufflevector(ab, cd, (I / 4 * 4 + 2 + I % 2 + I % 4 / 2 * W)...));
  m[2] = Batch(__builtin_shufflevector(ab_high, cd_high, (I / 4 * 4 + I % 2 + I % 4 / 2 * W)...));
  m[3] = Batch(__builtin_shufflevector(ab_high, cd_high, (I / 4 * 4 + 2 + I % 2 + I % 4 / 2 * W)...));
}

template <class Half, int... I>
static inline auto join(Half a, Half b, std::integer_sequence<int, I...>) {
  return __builtin_shufflevector(a, b, I...);
}

// Columns c … c + 3 of rows 0, 4, 8 …
template <int Rows>
static inline auto load_quads(const float* const* row, std::int64_t c) {
  if constexpr (Rows == 1) {
    return *reinterpret_cast<const Quad*>(row[0] + c);
  } else {
    return join(load_quads<Rows / 2>(row, c), load_quads<Rows / 2>(row + 2 * Rows, c),
                std::make_integer_sequence<int, 4 * Rows>());
  }
}

static inline void load_quad_columns(const float* const (&row)[W], std::int64_t c, Batch factor, Batch (&m)[4]) {
  HEADWISE_UNROLL
  for (int j = 0; j < 4; ++j) m[j] = Batch(load_quads<W / 4>(row + j, c)) * factor;
  transpose_quads(m, std::make_integer_sequence<int, W>());
}

// Stores the quads of up to `count` rows from First on.
template <int First>
static inline void store_quad_rows(const Batch (&m)[4], float* out, std::int64_t stride, std::int64_t count) {
  if constexpr (First < W) {
    HEADWISE_UNROLL
    for (int j = 0; j < 4; ++j) {
      if (First + j >= count) return;
      const typename Batch::register_type rows = m[j];
      *reinterpret_cast<Quad*>(out + (First + j) * stride) =
          __builtin_shufflevector(rows, rows, First, First + 1, First + 2, First + 3);
    }
    store_quad_rows<First + 4>(m, out, stride, count);
  }
}

// tile[c][i] = factor · row[i][c] for c < width, the rows of the tile `lanes` floats apart.
static inline void transpose_rows(const float* const (&row)[W], std::int64_t width, Batch factor, float* tile,
                                  std::int64_t lanes) {
  std::int64_t c = 0;
  for (; c + W <= width; c += W) {
    Batch m[W];
    HEADWISE_UNROLL
    for (int i = 0; i < W; ++i) m[i] = Batch::load_unaligned(row[i] + c) * factor;
    transpose(m);
    HEADWISE_UNROLL
    for (int i = 0; i < W; ++i) m[i].store_aligned(tile + (c + i) * lanes);
  }
  for (; c + 4 <= width; c += 4) {
    Batch m[4];
    load_quad_columns(row, c, factor, m);
    HEADWISE_UNROLL
    for (int j = 0; j < 4; ++j) m[j].store_aligned(tile + (c + j) * lanes);
  }
  for (; c < width; ++c) {
    float column[W];
    for (int i = 0; i < W; ++i) column[i] = row[i][c];
    (Batch::load_unaligned(column) * factor).store_aligned(tile + c * lanes);
  }
}

// tile[c][lane] = factor · rows[lane][c] for c < width. Lanes past num_rows repeat the last row, so that they hold
// ordinary numbers; nobody reads their results.
static void load_transposed(ConstRows rows, std::int64_t num_rows, std::int64_t width, float factor, float* tile,
                            int lanes) {
  for (int first = 0; first < lanes; first += W) {
    const float* row[W];
    for (int i = 0; i < W; ++i) row[i] = rows.data + minimum(first + i, num_rows - 1) * rows.stride;
    transpose_rows(row, width, Batch(factor), tile + first, lanes);
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
    for (; c + 4 <= width; c += 4) {
      Batch m[4];
      HEADWISE_UNROLL
      for (int j = 0; j < 4; ++j) m[j] = Batch::load_aligned(tile + (c + j) * lanes + first) * scale;
      transpose_quads(m, std::make_integer_sequence<int, W>());
      store_quad_rows<0>(m, out + c, rows.stride, count);
    }
    for (; c < width; ++c) {
      for (std::int64_t i = 0; i < count; ++i) {
        out[i * rows.stride + c] = tile[c * lanes + first + i] * (factor == nullptr ? 1.0F : factor[first + i]);
      }
    }
  }
}
