// The way through the keys that all kernels share: gather a block, score it, modify, exponentiate, mix its values.
// `Products` are the two products; they differ between many queries (in lanes) and few.

// In integers, which g++ makes vectors of: a chain of float additions took a third of the time of a masked task.
static inline bool is_finite_row(const float* row, std::int64_t width) {
  std::uint32_t special = 0;
  for (std::int64_t c = 0; c < width; ++c) special |= (bits_from_float(row[c]) & 0x7fffffffU) >= 0x7f800000U ? 1U : 0U;
  return special == 0;
}

// A key that is dead for some queries has weight 0 there, and 0 · NaN would be NaN. Such a value row is replaced by
// zeros in the product and added lane by lane for the queries that do see it. Returns how many there are.
static std::int64_t set_aside_unsafe_values(const AttendTask& task, const KeyBlock& block,
                                            const BlockScratch& scratch) {
  std::int64_t found = 0;
  for (std::int64_t k = block.biased_from; k < block.count; ++k) {
    if (!scratch.partial[k] || is_finite_row(scratch.value_rows[k], task.shape.value_dim)) continue;
    scratch.unsafe_rows[found] = scratch.value_rows[k];
    scratch.unsafe[found++] = k;
    scratch.value_rows[k] = scratch.zeros;
  }
  return found;
}

template <class Products>
static void add_unsafe_value(const AttendTask& task, const float* value, std::int64_t k, const BlockScratch& scratch,
                             const Products& products) {
  for (std::int64_t i = 0; i < task.num_queries; ++i) {
    if (scratch.bias[k * Products::Tile::lanes + i] == negative_infinity) continue;
    const float weight = scratch.scores[k * Products::Tile::lanes + i];
    for (std::int64_t c = 0; c < task.shape.value_dim; ++c) products.context(i, c) += weight * value[c];
  }
}

template <class Products>
static void mix_values(const AttendTask& task, const KeyBlock& block, const BlockScratch& scratch, Carry carry,
                       const Products& products) {
  const std::int64_t unsafe = set_aside_unsafe_values(task, block, scratch);
  products.mix(block, carry);
  for (std::int64_t u = 0; u < unsafe; ++u) {
    add_unsafe_value(task, scratch.unsafe_rows[u], scratch.unsafe[u], scratch, products);
  }
}

// Up to the weights; returns whether a maximum moved.
template <class Products>
static bool weigh_block(const AttendTask& task, const KeyBlock& block, const BlockScratch& scratch,
                        const Products& products) {
  using Tile = typename Products::Tile;
  find_key_rows(task, block, scratch);
  find_value_rows(task, block, scratch);
  lap(task.times, AttendPart::keys);
  products.score(block);
  lap(task.times, AttendPart::scores);
  note_live_lanes<Tile>(block, scratch);
  const bool modified = modify_scores<Tile>(task, block, scratch);
  if (modified) lap(task.times, AttendPart::modifiers);
  if (modified || !Products::finds_top) find_top<Tile>(block, scratch);
  const bool moved = softmax_block<Tile>(block, scratch);
  lap(task.times, AttendPart::softmax);
  return moved;
}

// Walks up to max_blocks blocks from the cursor on, whose keys start at column `first`. Returns how many there were.
template <class Products>
static std::int64_t walk_keys(const AttendTask& task, const BlockScratch& scratch, KeyCursor& cursor,
                              std::int64_t first, std::int64_t limit, const Products& products) {
  using Tile = typename Products::Tile;
  const bool weights = task.weights.data != nullptr;
  __builtin_memset(scratch.zeros, 0, sizeof(float) * task.shape.value_dim);
  std::int64_t blocks = 0;
  lap(task.times, AttendPart::edges);
  for (bool more = true; more && blocks < limit; ++blocks) {
    const KeyBlock block = next_keys(task, cursor, scratch, Tile::lanes);
    if (block.count == 0) break;
    more = block.count == key_block;
    const std::int64_t end = looked_at(cursor);
    if (weights) prefetch_columns(task, first, end);
    const bool moved = weigh_block(task, block, scratch, products);
    if (weights) {
      store_block_weights<Tile>(task, block, scratch, blocks, first, end);
      lap(task.times, AttendPart::weights);
    }
    first = end;
    mix_values(task, block, scratch, blocks == 0 ? Carry::none : moved ? Carry::scale : Carry::keep, products);
    lap(task.times, AttendPart::values);
  }
  if (weights) fill_columns(task, first, looked_at(cursor), 0);
  return blocks;
}
