// Weights for the caller. Each block leaves its unnormalised weights in the caller's rows together with the maximum
// they are relative to; one pass at the end brings all blocks to the final maximum and sum. No second product is
// needed.

static void clear_skipped_weights(const AttendTask& task, const KeyCursor& cursor) {
  if (task.mask.num_planes == 0 && cursor.end == task.shape.num_keys) return;
  for (std::int64_t i = 0; i < task.num_queries; ++i) {
    __builtin_memset(task.weights.data + i * task.weights.stride, 0, sizeof(float) * task.shape.num_keys);
  }
}

static void scatter_weights(const AttendTask& task, const KeyBlock& block, const BlockScratch& scratch, int lanes) {
  for (std::int64_t i = 0; i < task.num_queries; ++i) {
    float* row = task.weights.data + i * task.weights.stride;
    for (std::int64_t k = 0; k < block.count; ++k) row[scratch.indices[k]] = scratch.scores[k * lanes + i];
  }
}

static void store_block_weights(const AttendTask& task, const KeyBlock& block, const BlockScratch& scratch, int lanes,
                                std::int64_t number) {
  const std::int64_t first = scratch.indices[0];
  const std::int64_t end = scratch.indices[block.count - 1] + 1;
  scratch.block_ends[number] = end;
  __builtin_memcpy(scratch.block_maxima + number * lanes, scratch.maximum, sizeof(float) * lanes);
  if (!is_run(block, scratch.indices)) return scatter_weights(task, block, scratch, lanes);
  store_transposed(scratch.scores, lanes, nullptr, {task.weights.data + first, task.weights.stride}, task.num_queries,
                   block.count);
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
  for (std::int64_t j = 0; j < task.shape.num_keys; ++j) {
    const bool dead = mask_bias(task.mask, task.first_query + row, j) == negative_infinity;
    weights[j] = dead ? 0 : __builtin_nanf("");
  }
}

// scratch.correction holds 1/sum here.
static void finish_weights(const AttendTask& task, const BlockScratch& scratch, int lanes, std::int64_t blocks) {
  for (std::int64_t at = 0; at < blocks * lanes; at += W) {
    const Batch top = Batch::load_aligned(scratch.maximum + at % lanes);
    const Batch shift = xsimd::select(top == Batch(negative_infinity), Batch(0.0F), top);
    const Batch factor = exp(Batch::load_aligned(scratch.block_maxima + at) - shift);
    (factor * Batch::load_aligned(scratch.correction + at % lanes)).store_aligned(scratch.block_maxima + at);
  }
  for (std::int64_t i = 0; i < task.num_queries; ++i) {
    if (!(scratch.correction[i] < __builtin_inff())) {
      fill_nan_row(task, i);
      continue;
    }
    float* row = task.weights.data + i * task.weights.stride;
    std::int64_t first = 0;
    for (std::int64_t b = 0; b < blocks; ++b) {
      scale_row(row + first, scratch.block_ends[b] - first, scratch.block_maxima[b * lanes + i]);
      first = scratch.block_ends[b];
    }
  }
}
