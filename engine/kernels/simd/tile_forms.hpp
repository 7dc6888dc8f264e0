// Two forms of the tile of scores that all passes between the two products work on.

// Many queries: a key is a row of V batches, a query a lane.
template <int V_>
struct LaneTile {
  static constexpr int V = V_;          // batches in a row
  static constexpr int lanes = V * W;   // floats that a key has
  static constexpr int states = lanes;  // floats that maxima, sums … have
  static inline std::int64_t row_of(std::int64_t key) { return key; }
  static inline std::int64_t rows(std::int64_t keys) { return keys; }  // that hold so many keys
};

// Few queries: F lanes a key, so W / F keys share a batch. With one batch a key, the softmax of one query took as long
// as reading its keys and values from the L2 cache.
template <int F>
struct FewTile {
  static constexpr int V = 1;
  static constexpr int lanes = F;
  static constexpr int states = W;  // repeated for each of the keys in a batch
  static constexpr int keys = W / F;
  static inline std::int64_t row_of(std::int64_t key) { return key / keys; }
  static inline std::int64_t rows(std::int64_t count) { return (count + keys - 1) / keys; }
};

template <int Step, int... I>
static inline Batch swap_lanes(Batch x, std::integer_sequence<int, I...>) {
  const typename Batch::register_type lanes = x;
  return Batch(__builtin_shufflevector(lanes, lanes, (I ^ Step)...));
}

// The largest of the lanes that belong to one query, in all of them.
template <int Lanes>
static inline Batch fold_max(Batch x) {
  if constexpr (Lanes < W) {
    return fold_max<2 * Lanes>(xsimd::max(x, swap_lanes<Lanes>(x, std::make_integer_sequence<int, W>())));
  } else {
    return x;
  }
}

// The places of the last batch behind the last key, of which a tile for few queries may have some, are dead.
template <class Tile>
static inline void pad_bias(float* bias, std::int64_t keys) {
  for (std::int64_t at = keys * Tile::lanes; at % W != 0; ++at) bias[at] = negative_infinity;
}
