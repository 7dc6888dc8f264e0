// Weights for the caller. Each block leaves its unnormalised weights in the caller's rows together with the maximum
// they are relative to; one pass at the end brings all blocks to the final maximum and sum. No second product is
// needed.

static void fill_columns(const AttendTask& task, std::int64_t from, std::int64_t to, float value) {
  for (std::int64_t i = 0; i < task.num_queries; ++i) {
    float* row = task.weights.data + i * task.weights.stride;
    for (std::int64_t j = from; j < to; ++j) row[j] = value;
  }
}

// The caller's rows are far away; asked for before the block's products, they have come when its weights are stored.
static void prefetch_columns(const AttendTask& task, std::int64_t from, std::int64_t to) {
  for (std::int64_t i = 0; i < task.num_queries; ++i) {
    const float* row = task.weights.data + i * task.weights.stride;
    for (std::int64_t j = from; j < to; j += 64 / sizeof(float)) __builtin_prefetch(row + j, 1, 2);
  }
}

static void scatter_columns(const AttendTask& task, const KeyBlock& block, const BlockScratch& scratch, int lanes) {
  for (std::int64_t i = 0; i < task.num_queries; ++i) {
    float* row = task.weights.data + i * task.weights.stride;
    for (std::int64_t k = 0; k < block.count; ++k) row[scratch.indices[k]] = scratch.scores[k * lanes + i];
  }
}

// The block's tile goes to its columns of the caller's rows; other columns of from … to − 1 have dead keys.
static void store_columns(const AttendTask& task, const KeyBlock& block, const BlockScratch& scratch, int lanes,
                          std::int64_t from, std::int64_t to, float dead) {
  if (block.count < to - from) fill_columns(task, from, to, dead);
  if (lanes < W || !is_run(block, scratch.indices)) return scatter_columns(task, block, scratch, lanes);
  store_transposed(scratch.scores, lanes, nullptr, {task.weights.data + scratch.indices[0], task.weights.stride},
                   task.num_queries, block.count);
}

template <class Tile>
static void store_block_weights(const AttendTask& task, const KeyBlock& block, const BlockScratch& scratch,
                                std::int64_t number, std::int64_t from, std::int64_t to) {
  scratch.block_ends[number] = scratch.indices[block.count - 1] + 1;
  __builtin_memcpy(scratch.block_maxima + number * Tile::states, scratch.maximum, sizeof(float) * Tile::states);
  store_columns(task, block, scratch, Tile::lanes, from, to, 0);
}

static void scale_row(float* row, std::int64_t count, float factor) {
  const Batch scale(factor);
  std::int64_t j = 0;
  for (; j + W <= count; j += W) (Batch::load_unaligned(row + j) * scale).store_unaligned(row + j);
  for (; j < count; ++j) row[j] *= factor;
}

// A row whose sum is NaN, or 0 with live keys, is NaN at its live keys and still 0 at its dead ones.
static void fill_nan_row(const AttendTask& task, std::int64_t row) {
  float* weights = task.weights.data + row * task.weights.stride;
  for (std::int64_t j = 0; j < num_columns(task); ++j) {
    const bool dead =
        j < task.shape.num_keys && mask_bias(task.mask, task.first_query + row, j) == double(negative_infinity);
    weights[j] = dead ? 0 : __builtin_nanf("");
  }
}

static inline bool is_nan_row(const BlockScratch& scratch, std::int64_t lane) {
  return !(scratch.correction[lane] < __builtin_inff());
}

// Brings the blocks from column `first` on to the maximum of all of them, times scratch.correction.
static void finish_weights(const AttendTask& task, const BlockScratch& scratch, int lanes, std::int64_t first,
                           std::int64_t blocks) {
  for (std::int64_t at = 0; at < blocks * lanes; at += W) {
    const Batch top = Batch::load_aligned(scratch.maximum + at % lanes);
    const Batch shift = xsimd::select(top == Batch(negative_infinity), Batch(0.0F), top);
    const Batch factor = exp(Batch::load_aligned(scratch.block_maxima + at) - shift);
    (factor * Batch::load_aligned(scratch.correction + at % lanes)).store_aligned(scratch.block_maxima + at);
  }
  for (std::int64_t i = 0; i < task.num_queries; ++i) {
    if (is_nan_row(scratch, i)) {
      fill_nan_row(task, i);
      continue;
    }
    float* row = task.weights.data + i * task.weights.stride;
    std::int64_t from = first;
    for (std::int64_t b = 0; b < blocks; ++b) {
      scale_row(row + from, scratch.block_ends[b] - from, scratch.block_maxima[b * lanes + i]);
      from = scratch.block_ends[b];
    }
  }
}
