// Online softmax over blocks of keys: a running maximum and sum a lane, and the factor by which what was summed so far
// has to shrink when the maximum grows (Milakov and Gimelshein 2018).

// Adds the bias; a dead key's score becomes −inf whatever it was, NaN included.
template <int V>
static void add_bias(const KeyBlock& block, const BlockScratch& scratch) {
  const Batch dead(negative_infinity);
  for (std::int64_t i = block.biased_from * V; i < block.count * V; ++i) {
    const Batch bias = Batch::load_aligned(scratch.bias + i * W);
    float* at = scratch.scores + i * W;
    xsimd::select(bias == dead, dead, Batch::load_aligned(at) + bias).store_aligned(at);
  }
}

// Notes which lanes have met a live key. The scores can't tell: a live one may be −inf too.
template <int V>
static void note_live_lanes(const KeyBlock& block, const BlockScratch& scratch) {
  Batch live[V];
  load_lanes<V>(scratch.liveliest, live);
  HEADWISE_UNROLL
  for (int v = 0; v < V; ++v) {
    if (block.biased_from > 0) live[v] = Batch(0.0F);
    for (std::int64_t k = block.biased_from; k < block.count; ++k) {
      const Batch bias = Batch::load_aligned(scratch.bias + (k * V + v) * W);
      live[v] = xsimd::select(bias == Batch(negative_infinity), live[v], Batch(0.0F));
    }
    live[v].store_aligned(scratch.liveliest + v * W);
  }
}

// The bias has changed the scores, so their maximum is taken again.
template <int V>
static void find_top(const KeyBlock& block, const BlockScratch& scratch) {
  Batch top[V];
  HEADWISE_UNROLL
  for (int v = 0; v < V; ++v) top[v] = Batch(negative_infinity);
  for (std::int64_t k = 0; k < block.count; ++k) {
    HEADWISE_UNROLL
    for (int v = 0; v < V; ++v) top[v] = xsimd::max(top[v], Batch::load_aligned(scratch.scores + (k * V + v) * W));
  }
  HEADWISE_UNROLL
  for (int v = 0; v < V; ++v) top[v].store_aligned(scratch.block_top + v * W);
}

// Raises the running maximum to this block's and leaves in `shift` what to subtract: the maximum, or 0 for a lane that
// has met no live key yet, where −inf − (−inf) would make a NaN out of nothing.
template <int V>
static void raise_maximum(const BlockScratch& scratch, Batch (&shift)[V]) {
  HEADWISE_UNROLL
  for (int v = 0; v < V; ++v) {
    const Batch before = Batch::load_aligned(scratch.maximum + v * W);
    const Batch top = xsimd::max(before, Batch::load_aligned(scratch.block_top + v * W));
    shift[v] = xsimd::select(top == Batch(negative_infinity), Batch(0.0F), top);
    top.store_aligned(scratch.maximum + v * W);
    exp(before - shift[v]).store_aligned(scratch.correction + v * W);
  }
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

// Scores become unnormalised weights, and the running sum follows. A NaN score makes its lane's sum NaN.
template <int V>
static void softmax_block(const KeyBlock& block, const BlockScratch& scratch) {
  Batch shift[V];
  raise_maximum<V>(scratch, shift);
  Batch sum[1][V];
  clear(sum);
  for (std::int64_t k = 0; k < block.count; k += sum_group) {
    exponentiate<V>(scratch.scores, k, minimum(k + sum_group, block.count), shift, sum[0]);
  }
  add_block_sum<V>(scratch, sum[0]);
}
