// Online softmax over blocks of keys: a running maximum and sum a lane, and the factor by which what was summed so far
// has to shrink when the maximum grows (Milakov and Gimelshein 2018).

// Notes which lanes have met a live key. The scores can't tell: a live one may be −inf too.
template <class Tile>
static void note_live_lanes(const KeyBlock& block, const BlockScratch& scratch) {
  constexpr int V = Tile::V;
  Batch live[V];
  load_lanes<V>(scratch.liveliest, live);
  HEADWISE_UNROLL
  for (int v = 0; v < V; ++v) {
    if (block.biased_from > 0) live[v] = Batch(0.0F);
    for (std::int64_t r = Tile::row_of(block.biased_from); r < Tile::rows(block.count); ++r) {
      const Batch bias = Batch::load_aligned(scratch.bias + (r * V + v) * W);
      live[v] = xsimd::select(bias == Batch(negative_infinity), live[v], Batch(0.0F));
    }
    fold_max<Tile::lanes>(live[v]).store_aligned(scratch.liveliest + v * W);
  }
}

// The modifiers have changed the scores, so their maximum is taken again.
template <class Tile>
static void find_top(const KeyBlock& block, const BlockScratch& scratch) {
  constexpr int V = Tile::V;
  Batch top[V];
  HEADWISE_UNROLL
  for (int v = 0; v < V; ++v) top[v] = Batch(negative_infinity);
  for (std::int64_t r = 0; r < Tile::rows(block.count); ++r) {
    HEADWISE_UNROLL
    for (int v = 0; v < V; ++v) top[v] = xsimd::max(top[v], Batch::load_aligned(scratch.scores + (r * V + v) * W));
  }
  HEADWISE_UNROLL
  for (int v = 0; v < V; ++v) fold_max<Tile::lanes>(top[v]).store_aligned(scratch.block_top + v * W);
}

// How far scores may lie above the maximum before it follows. Any number near the maximum serves as well, and one that
// stands still saves a pass over the contexts: weights may then reach e⁴, which costs no precision.
constexpr float slack = 4;

// Raises the running maximum to this block's where that is more than the slack above it, and leaves in `shift` what to
// subtract: the maximum, or 0 for a lane that has met no live key yet, where −inf − (−inf) would make a NaN out of
// nothing. Returns whether any maximum moved.
template <int V>
static bool raise_maximum(const BlockScratch& scratch, Batch (&shift)[V]) {
  Batch moved(0.0F);
  HEADWISE_UNROLL
  for (int v = 0; v < V; ++v) {
    const Batch before = Batch::load_aligned(scratch.maximum + v * W);
    const Batch block_top = Batch::load_aligned(scratch.block_top + v * W);
    const Batch top = xsimd::select(block_top > before + Batch(slack), block_top, before);
    shift[v] = xsimd::select(top == Batch(negative_infinity), Batch(0.0F), top);
    top.store_aligned(scratch.maximum + v * W);
    moved = xsimd::select(top == before, moved, Batch(1.0F));
    exp(before - shift[v]).store_aligned(scratch.correction + v * W);
  }
  return xsimd::any(moved == Batch(1.0F));
}

// Adds a block's sum to the running one. Compensated (Kahan 1965): every weight is divided by this sum, so its error
// would be every output's error.
template <int V>
static inline void add_block_sum(const BlockScratch& scratch, const Batch (&block_sum)[V]) {
  HEADWISE_UNROLL
  for (int v = 0; v < V; ++v) {
    float* sum = scratch.sum + v * W;
    float* error = scratch.sum_error + v * W;
    const Batch correction = Batch::load_aligned(scratch.correction + v * W);
    const Batch before = Batch::load_aligned(sum) * correction;
    const Batch more = block_sum[v] - Batch::load_aligned(error) * correction;
    const Batch after = before + more;
    after.store_aligned(sum);
    ((after - before) - more).store_aligned(error);
  }
}

// Scores of keys first … end − 1 become unnormalised weights; their sum is added to block_sum.
template <int V>
static inline void exponentiate(float* scores, std::int64_t first, std::int64_t end, const Batch (&shift)[V],
                                Batch (&block_sum)[V]) {
  Batch sum[1][V];
  clear(sum);
  for (std::int64_t k = first; k < end; ++k) {
    HEADWISE_UNROLL
    for (int v = 0; v < V; ++v) {
      float* at = scores + (k * V + v) * W;
      const Batch p = exp(Batch::load_aligned(at) - shift[v]);
      p.store_aligned(at);
      sum[0][v] = sum[0][v] + p;
    }
  }
  HEADWISE_UNROLL
  for (int v = 0; v < V; ++v) block_sum[v] = block_sum[v] + sum[0][v];
}

// Sums of unnormalised weights of few queries, each in the same order whatever the form of the tile: 8 sums of every
// eighth key. What pads the last batch is 0.
template <int F>
static inline Batch sum_few(const float* weights, std::int64_t count) {
  float part[sum_group * F] = {};
  for (std::int64_t k = 0; k + sum_group <= count; k += sum_group) {
    for (int i = 0; i < sum_group * F; ++i) part[i] += weights[k * F + i];
  }
  for (std::int64_t at = count / sum_group * sum_group * F; at < count * F; ++at)
    part[at % (sum_group * F)] += weights[at];
  float lanes[W];
  for (int i = 0; i < W; ++i) {
    const float* p = part + i % F;
    lanes[i] = ((p[0] + p[4 * F]) + (p[2 * F] + p[6 * F])) + ((p[F] + p[5 * F]) + (p[3 * F] + p[7 * F]));
  }
  return Batch::load_unaligned(lanes);
}

template <int V>
static inline void exponentiate_block(LaneTile<V>, float* scores, std::int64_t count, const Batch (&shift)[V],
                                      Batch (&sum)[V]) {
  for (std::int64_t k = 0; k < count; k += sum_group) {
    exponentiate<V>(scores, k, minimum(k + sum_group, count), shift, sum);
  }
}

template <int F>
static inline void exponentiate_block(FewTile<F>, float* scores, std::int64_t count, const Batch (&shift)[1],
                                      Batch (&sum)[1]) {
  for (std::int64_t at = 0; at < count * F; at += W)
    exp(Batch::load_aligned(scores + at) - shift[0]).store_aligned(scores + at);
  sum[0] = sum_few<F>(scores, count);
}

// Scores become unnormalised weights, and the running sum follows. A NaN score makes its lane's sum NaN. Returns
// whether a maximum moved.
template <class Tile>
static bool softmax_block(const KeyBlock& block, const BlockScratch& scratch) {
  Batch shift[Tile::V];
  const bool moved = raise_maximum<Tile::V>(scratch, shift);
  Batch sum[1][Tile::V];
  clear(sum);
  exponentiate_block(Tile(), scratch.scores, block.count, shift, sum[0]);
  add_block_sum<Tile::V>(scratch, sum[0]);
  return moved;
}
