// What changes scores between the product and the softmax: one pass over the block's tile of scores for each modifier
// that a task has. A pass reads and writes 24 KB that the product has just left in the nearest cache; folding the
// modifiers into the product would need a tile for every combination of them.

// Applies policy(score, row, batch of the row) to rows first … end − 1 of the tile.
template <class Tile, class Policy>
static inline void for_each_score(const BlockScratch& scratch, std::int64_t first, std::int64_t end,
                                  const Policy& policy) {
  for (std::int64_t r = first; r < end; ++r) {
    const auto row = policy.row(r);
    HEADWISE_UNROLL
    for (int v = 0; v < Tile::V; ++v) {
      float* at = scratch.scores + (r * Tile::V + v) * W;
      policy(Batch::load_aligned(at), row, v).store_aligned(at);
    }
  }
}

// c · tanh(s / c).
struct SoftCap {
  Batch cap, inverse;

  explicit SoftCap(float c) : cap(c), inverse(1 / c < 3.402823466e38F ? 1 / c : 3.402823466e38F) {}
  inline int row(std::int64_t) const { return 0; }
  inline Batch operator()(Batch score, int, int) const { return cap * tanh(score * inverse); }
};

static inline Batch iota(int first) {
  float lanes[W];
  for (int i = 0; i < W; ++i) lanes[i] = float(first + i);
  return Batch::load_unaligned(lanes);
}

// Position of the block's first query.
static inline std::int64_t first_position(const AttendTask& task) {
  return task.first_query + task.score.query_offset;
}

// −slope · |position of the lane's query − position of the key|. Distances are exact below 2²⁴.
template <class Tile>
struct AlibiBias {
  const std::int64_t* indices;
  std::int64_t position;
  Batch slope;
  Batch lane[Tile::V];

  AlibiBias(const AttendTask& task, const BlockScratch& scratch)
      : indices(scratch.indices), position(first_position(task)), slope(-task.score.alibi_slope) {
    for (int v = 0; v < Tile::V; ++v) lane[v] = iota(v * W);
  }
  inline Batch row(std::int64_t k) const { return Batch(float(position - indices[k])); }
  inline Batch operator()(Batch score, Batch distance, int v) const {
    return xsimd::fma(slope, magnitude(lane[v] + distance), score);
  }
};

// relative[distance] with the distances of a row of lanes side by side in the table; past max_distance all are equal,
// so the start of the row can be held where the table has entries for all lanes.
struct BiasTable {
  const float* table;
  std::int64_t lowest, highest;

  explicit BiasTable(const ScoreForm& form)
      : table(form.relative), lowest(-form.max_distance - relative_margin), highest(form.max_distance) {}
  inline const float* at(std::int64_t distance) const { return table + minimum(highest, maximum(lowest, distance)); }
};

template <class Tile>
struct TableBias {
  const std::int64_t* indices;
  BiasTable table;
  std::int64_t position;

  TableBias(const AttendTask& task, const BlockScratch& scratch)
      : indices(scratch.indices), table(task.score), position(first_position(task)) {}
  inline const float* row(std::int64_t k) const { return table.at(position - indices[k]); }
  inline Batch operator()(Batch score, const float* start, int v) const {
    return score + Batch::load_unaligned(start + v * W);
  }
};

// Few queries: the keys of a batch need not be neighbours, so each lane's distance or bias is taken by itself. Extra
// keys, whose batch may hold others too, get none.
template <int F, class Term>
static inline Batch gather_lanes(const std::int64_t* indices, std::int64_t row, std::int64_t num_keys,
                                 const Term& term) {
  float lanes[W];
  HEADWISE_UNROLL
  for (int i = 0; i < W; ++i) {
    const std::int64_t key = indices[row * (W / F) + i / F];
    lanes[i] = key < num_keys ? term(i % F - key) : 0;
  }
  return Batch::load_unaligned(lanes);
}

template <int F>
struct AlibiBias<FewTile<F>> {
  const std::int64_t* indices;
  std::int64_t position, num_keys;
  Batch slope;

  AlibiBias(const AttendTask& task, const BlockScratch& scratch)
      : indices(scratch.indices),
        position(first_position(task)),
        num_keys(task.shape.num_keys),
        slope(-task.score.alibi_slope) {}
  inline Batch row(std::int64_t r) const {
    return gather_lanes<F>(indices, r, num_keys, [&](std::int64_t offset) { return float(position + offset); });
  }
  inline Batch operator()(Batch score, Batch distance, int) const {
    return xsimd::fma(slope, magnitude(distance), score);
  }
};

template <int F>
struct TableBias<FewTile<F>> {
  const std::int64_t* indices;
  BiasTable table;
  std::int64_t position, num_keys;

  TableBias(const AttendTask& task, const BlockScratch& scratch)
      : indices(scratch.indices), table(task.score), position(first_position(task)), num_keys(task.shape.num_keys) {}
  inline Batch row(std::int64_t r) const {
    return gather_lanes<F>(indices, r, num_keys, [&](std::int64_t offset) { return *table.at(position + offset); });
  }
  inline Batch operator()(Batch score, Batch bias, int) const { return score + bias; }
};

// A key's bias from the masks; a dead key's score becomes −inf whatever it was, NaN included.
template <class Tile>
struct MaskBias {
  const float* bias;

  inline const float* row(std::int64_t r) const { return bias + r * Tile::V * W; }
  inline Batch operator()(Batch score, const float* start, int v) const {
    const Batch dead(negative_infinity);
    const Batch more = Batch::load_aligned(start + v * W);
    return xsimd::select(more == dead, dead, score + more);
  }
};

template <class Tile>
static void cap_scores(const AttendTask& task, const KeyBlock& block, const BlockScratch& scratch) {
  for_each_score<Tile>(scratch, 0, Tile::rows(block.count), SoftCap(task.score.softcap));
}

static inline bool has_distance_bias(const ScoreForm& form) {
  return form.alibi_slope != 0 || form.relative != nullptr;
}

// Terms of relative position; the extra keys have no position.
template <class Tile>
static void add_distance_bias(const AttendTask& task, const KeyBlock& block, const BlockScratch& scratch) {
  const std::int64_t rows = Tile::rows(block.extra_from);
  if (task.score.relative != nullptr) for_each_score<Tile>(scratch, 0, rows, TableBias<Tile>(task, scratch));
  if (task.score.alibi_slope != 0) for_each_score<Tile>(scratch, 0, rows, AlibiBias<Tile>(task, scratch));
}

// All modifiers in order. Returns whether there was any, so that the largest scores must be found again.
template <class Tile>
static bool modify_scores(const AttendTask& task, const KeyBlock& block, const BlockScratch& scratch) {
  const bool capped = task.score.softcap != 0;
  const bool moved = has_distance_bias(task.score);
  const bool biased = block.biased_from < block.count;
  if (capped) cap_scores<Tile>(task, block, scratch);
  if (moved) add_distance_bias<Tile>(task, block, scratch);
  if (biased) {
    for_each_score<Tile>(scratch, Tile::row_of(block.biased_from), Tile::rows(block.count),
                         MaskBias<Tile>{scratch.bias});
  }
  return capped || moved || biased;
}
