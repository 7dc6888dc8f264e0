// The two products. Both multiply a broadcast scalar of a key or value row with V batches of a tile, so neither keys
// nor values are packed or transposed, and no sum runs across lanes. (Batches of a value row times broadcast weights,
// which leave the context in rows, read each line of V four times as often: 5 to 20 points of peak lost on AVX2,
// nothing won on AVX-512.)

template <int V>
static HEADWISE_INLINE void load_lanes(const float* row, Batch (&lanes)[V]) {
  HEADWISE_UNROLL
  for (int v = 0; v < V; ++v) lanes[v] = Batch::load_aligned(row + v * W);
}

template <int R, int V>
static HEADWISE_INLINE void clear(Batch (&sum)[R][V]) {
  HEADWISE_UNROLL
  for (int r = 0; r < R; ++r) {
    HEADWISE_UNROLL
    for (int v = 0; v < V; ++v) sum[r][v] = Batch(0.0F);
  }
}

template <int R, int V>
static HEADWISE_INLINE void multiply_add(Batch (&sum)[R][V], Batch scalar, const Batch (&lanes)[V], int r) {
  HEADWISE_UNROLL
  for (int v = 0; v < V; ++v) sum[r][v] = xsimd::fma(scalar, lanes[v], sum[r][v]);
}

// Where a block's scores go: the tile of scores and the largest score of each lane so far.
struct ScoreBlock {
  const float* const* keys;
  const float* queries;
  std::int64_t head_dim;
  float* scores;
  float* top;
};

// Adds Σ_c keys[r][c] · queries[c][lane] for c in [first, end) to sum.
template <int R, int V>
static HEADWISE_INLINE void multiply_range(const ScoreBlock& block, const float* const (&key)[R], std::int64_t first,
                                           std::int64_t end, Batch (&sum)[R][V]) {
  HEADWISE_UNROLL_FEW
  for (std::int64_t c = first; c < end; ++c) {
    Batch lanes[V];
    load_lanes<V>(block.queries + c * V * W, lanes);
    HEADWISE_UNROLL
    for (int r = 0; r < R; ++r) multiply_add(sum, Batch(key[r][c]), lanes, r);
  }
}

// Both halves at once, each in a chain of its own.
template <int R, int V>
static HEADWISE_INLINE void multiply_halves(const ScoreBlock& block, const float* const (&key)[R], Batch (&low)[R][V],
                                            Batch (&high)[R][V]) {
  const std::int64_t half = block.head_dim / 2;
  HEADWISE_UNROLL_FEW
  for (std::int64_t c = 0; c < half; ++c) {
    Batch lanes[V];
    load_lanes<V>(block.queries + c * V * W, lanes);
    HEADWISE_UNROLL
    for (int r = 0; r < R; ++r) multiply_add(low, Batch(key[r][c]), lanes, r);
    load_lanes<V>(block.queries + (half + c) * V * W, lanes);
    HEADWISE_UNROLL
    for (int r = 0; r < R; ++r) multiply_add(high, Batch(key[r][half + c]), lanes, r);
  }
  multiply_range<R, V>(block, key, 2 * half, block.head_dim, high);
}

// Stores the sums of two halves and raises top[lane] while they are in registers.
template <int R, int V, class Half>
static HEADWISE_INLINE void store_scores(const ScoreBlock& block, float* scores, const Batch (&sum)[R][V],
                                         const Half& other) {
  HEADWISE_UNROLL
  for (int v = 0; v < V; ++v) {
    Batch top = Batch::load_aligned(block.top + v * W);
    HEADWISE_UNROLL
    for (int r = 0; r < R; ++r) {
      const Batch score = sum[r][v] + other(r, v);
      score.store_aligned(scores + (r * V + v) * W);
      top = xsimd::max(top, score);
    }
    top.store_aligned(block.top + v * W);
  }
}

template <int R, int V>
static HEADWISE_INLINE void put_sums(const Batch (&sum)[R][V], float* scores) {
  HEADWISE_UNROLL
  for (int r = 0; r < R; ++r) {
    HEADWISE_UNROLL
    for (int v = 0; v < V; ++v) sum[r][v].store_aligned(scores + (r * V + v) * W);
  }
}

// scores[r][lane] = Σ_c keys[r][c] · queries[c][lane] for the R keys from `first` on; raises top[lane].
// The sum is taken in two halves that are then added: a chain of d products loses √2 more, which shows in the weights
// of real models (all-MiniLM-L6-v2, d = 32: RMS error 2.6e-8 in one chain, 1.7e-8 in two). With 32 registers both
// halves are summed side by side; with 16 the first waits in memory, since so low a tile would lose 8 points of peak.
template <int R, int V>
static inline void score_tile(const ScoreBlock& block, std::int64_t first) {
  const float* key[R];
  for (int r = 0; r < R; ++r) key[r] = block.keys[first + r];
  float* scores = block.scores + first * V * W;
  Batch sum[R][V];
  clear(sum);
  if constexpr (score_chains == 2) {
    Batch high[R][V];
    clear(high);
    multiply_halves<R, V>(block, key, sum, high);
    store_scores<R, V>(block, scores, sum, [&](int r, int v) { return high[r][v]; });
  } else {
    const std::int64_t ends[] = {0, block.head_dim / 2, block.head_dim};
    HEADWISE_KEEP_LOOP
    for (int half = 0; half < 2; ++half) {
      if (half == 1) put_sums(sum, scores);
      clear(sum);
      multiply_range<R, V>(block, key, ends[half], ends[half + 1], sum);
    }
    store_scores<R, V>(block, scores, sum, [&](int r, int v) { return Batch::load_aligned(scores + (r * V + v) * W); });
  }
}

// What the context of a block of keys does with that of the blocks before it.
enum class Carry {
  none,   // there are none
  keep,   // no maximum has moved: both are added
  scale,  // the one before is multiplied by its correction
};

struct ValueBlock {
  const float* const* values;
  std::int64_t count;
  const float* weights;
  const float* correction;
  Carry carry;
  float* context;
};

// context[r][lane] = context[r][lane] · correction[lane] + Σ_k values[k][column + r] · weights[k][lane]
// The block's own sum starts from zero, which keeps rounding errors at those of a block instead of those of all keys.
template <int R, int V>
static inline void value_tile(const ValueBlock& block, std::int64_t column) {
  const float* const* values = block.values;
  const float* weights = block.weights;
  Batch sum[R][V];
  clear(sum);
  HEADWISE_UNROLL_FEW
  for (std::int64_t k = 0; k < block.count; ++k) {
    Batch lanes[V];
    load_lanes<V>(weights + k * V * W, lanes);
    const float* value = values[k] + column;
    HEADWISE_UNROLL
    for (int r = 0; r < R; ++r) multiply_add(sum, Batch(value[r]), lanes, r);
  }
  Batch scale[V];
  load_lanes<V>(block.correction, scale);
  float* context = block.context + column * V * W;
  HEADWISE_UNROLL
  for (int r = 0; r < R; ++r) {
    HEADWISE_UNROLL
    for (int v = 0; v < V; ++v) {
      float* at = context + (r * V + v) * W;
      if (block.carry == Carry::keep) sum[r][v] = sum[r][v] + Batch::load_aligned(at);
      if (block.carry == Carry::scale) sum[r][v] = xsimd::fma(Batch::load_aligned(at), scale[v], sum[r][v]);
      sum[r][v].store_aligned(at);
    }
  }
}

// Rows a tile has when V batches stand side by side: fewer batches leave registers for more rows.
template <int V>
constexpr int rows_for() {
  return V == 1 ? 2 * tile_rows : tile_rows * max_batches / V;
}

// What is left over after the full tiles: one tile of exactly that height.
template <int R, int V>
static void score_rest(const ScoreBlock& block, std::int64_t first, std::int64_t count) {
  if constexpr (R > 0) {
    if (count == R) return score_tile<R, V>(block, first);
    score_rest<R - 1, V>(block, first, count);
  }
}

template <int V>
static void score_rows(const ScoreBlock& block, std::int64_t count) {
  constexpr int R = rows_for<V>() / score_chains;
  std::int64_t k = 0;
  for (; k + R <= count; k += R) {
    score_tile<R, V>(block, k);
  }
  score_rest<R - 1, V>(block, k, count - k);
}

template <int R, int V>
static void value_rest(const ValueBlock& block, std::int64_t column, std::int64_t columns) {
  if constexpr (R > 0) {
    if (columns == R) return value_tile<R, V>(block, column);
    value_rest<R - 1, V>(block, column, columns);
  }
}

template <int V>
static void value_columns(const ValueBlock& block, std::int64_t columns) {
  constexpr int R = rows_for<V>();
  std::int64_t column = 0;
  for (; column + R <= columns; column += R) value_tile<R, V>(block, column);
  value_rest<R - 1, V>(block, column, columns - column);
}
