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

// A weight of 0 stays 0 even where the factor is NaN: a dead key has no weight in a NaN row either.
static void scale_row(float* row, std::int64_t count, float factor) {
  const Batch scale(factor);
  const Batch zero(0.0F);
  std::int64_t j = 0;
  for (; j + W <= count; j += W) {
    const Batch x = Batch::load_unaligned(row + j);
    xsimd::select(x == zero, zero, x * scale).store_unaligned(row + j);
  }
  for (; j < count; ++j) row[j] = row[j] == 0 ? 0 : row[j] * factor;
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
    float* row = task.weights.data + i * task.weights.stride;
    std::int64_t first = 0;
    for (std::int64_t b = 0; b < blocks; ++b) {
      scale_row(row + first, scratch.block_ends[b] - first, scratch.block_maxima[b * lanes + i]);
      first = scratch.block_ends[b];
    }
  }
}
