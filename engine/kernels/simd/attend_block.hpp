// One task from queries to output, V batches wide.

// Adding the stride is several times cheaper than multiplying by it, which shows where a block has few queries.
static void point_at_rows(const ConstRows& rows, const KeyBlock& block, const std::int64_t* indices, const float** to) {
  if (is_run(block, indices)) {
    const float* row = rows.data + indices[0] * rows.stride;
    for (std::int64_t k = 0; k < block.count; ++k, row += rows.stride) to[k] = row;
    return;
  }
  for (std::int64_t k = 0; k < block.count; ++k) to[k] = rows.data + indices[k] * rows.stride;
}

// A key that is dead for some queries has weight 0 there, and 0 · NaN would be NaN. Such a value row is replaced by
// zeros in the product and added lane by lane for the queries that do see it. Returns how many there are.
static std::int64_t set_aside_unsafe_values(const AttendTask& task, const KeyBlock& block,
                                            const BlockScratch& scratch) {
  std::int64_t found = 0;
  for (std::int64_t k = block.biased_from; k < block.count; ++k) {
    if (!scratch.partial[k]) continue;
    float probe = 0;
    for (std::int64_t c = 0; c < task.shape.value_dim; ++c) probe += scratch.value_rows[k][c] * 0.0F;
    if (probe == 0) continue;
    scratch.value_rows[k] = scratch.zeros;
    scratch.unsafe[found++] = k;
  }
  return found;
}

static void add_unsafe_value(const AttendTask& task, std::int64_t k, const BlockScratch& scratch, int lanes) {
  const float* value = task.value.data + scratch.indices[k] * task.value.stride;
  for (std::int64_t i = 0; i < task.num_queries; ++i) {
    if (scratch.bias[k * lanes + i] == negative_infinity) continue;
    const float weight = scratch.scores[k * lanes + i];
    for (std::int64_t c = 0; c < task.shape.value_dim; ++c) scratch.context[c * lanes + i] += weight * value[c];
  }
}

template <int V>
static void mix_values(const AttendTask& task, const KeyBlock& block, const BlockScratch& scratch) {
  const std::int64_t unsafe = set_aside_unsafe_values(task, block, scratch);
  value_columns<V>({scratch.value_rows, block.count, scratch.scores, scratch.correction, scratch.context},
                   task.shape.value_dim);
  for (std::int64_t u = 0; u < unsafe; ++u) add_unsafe_value(task, scratch.unsafe[u], scratch, V * W);
}

static void reset(const AttendTask& task, const BlockScratch& scratch, int lanes) {
  for (int i = 0; i < lanes; ++i) {
    scratch.maximum[i] = negative_infinity;
    scratch.liveliest[i] = negative_infinity;
    scratch.sum[i] = 0;
    scratch.sum_error[i] = 0;
  }
  __builtin_memset(scratch.context, 0, sizeof(float) * task.shape.value_dim * lanes);
  __builtin_memset(scratch.zeros, 0, sizeof(float) * task.shape.value_dim);
}

static inline bool is_empty(const BlockScratch& scratch, std::int64_t lane) {
  return scratch.liveliest[lane] == negative_infinity;
}

// Leaves 1/sum in scratch.correction, and for a row without a live key 0 or what the policy asks for. A sum of 0 with
// live keys, whose scores are all −inf then, gives 0/0: the NaN that softmax has there.
static void invert_sums(const AttendTask& task, const BlockScratch& scratch, int lanes) {
  const float empty = task.empty_row == EmptyRow::nan ? __builtin_nanf("") : 0.0F;
  for (int i = 0; i < lanes; ++i) scratch.correction[i] = is_empty(scratch, i) ? empty : 1.0F / scratch.sum[i];
}

static void fill_mean_row(const AttendTask& task, std::int64_t row) {
  float* out = task.output.data + row * task.output.stride;
  for (std::int64_t c = 0; c < task.shape.value_dim; ++c) {
    double sum = 0;
    for (std::int64_t j = 0; j < task.shape.num_keys; ++j) sum += double(task.value.data[j * task.value.stride + c]);
    out[c] = task.shape.num_keys > 0 ? float(sum / double(task.shape.num_keys)) : 0.0F;
  }
}

// Rows without a live key are rare, so they are mended afterwards, one by one. Policy zero needs no mending.
static void fill_empty_rows(const AttendTask& task, const BlockScratch& scratch) {
  if (task.empty_row == EmptyRow::zero) return;
  const bool mean = task.empty_row == EmptyRow::mean;
  const float weight = mean ? 1.0F / float(task.shape.num_keys) : __builtin_nanf("");
  for (std::int64_t i = 0; i < task.num_queries; ++i) {
    if (!is_empty(scratch, i)) continue;
    if (mean) fill_mean_row(task, i);
    if (task.weights.data == nullptr) continue;
    for (std::int64_t j = 0; j < task.shape.num_keys; ++j) task.weights.data[i * task.weights.stride + j] = weight;
  }
}

static void finish(const AttendTask& task, const BlockScratch& scratch, int lanes, std::int64_t blocks) {
  invert_sums(task, scratch, lanes);
  store_transposed(scratch.context, lanes, scratch.correction, task.output, task.num_queries, task.shape.value_dim);
  if (task.weights.data != nullptr) finish_weights(task, scratch, lanes, blocks);
  fill_empty_rows(task, scratch);
}

template <int V>
static void score_block(const AttendTask& task, const KeyBlock& block, const BlockScratch& scratch) {
  for (int i = 0; i < V * W; ++i) scratch.block_top[i] = negative_infinity;
  score_rows<V>({scratch.key_rows, scratch.queries, task.shape.head_dim, scratch.scores, scratch.block_top},
                block.count);
  note_live_lanes<V>(block, scratch);
  if (block.biased_from >= block.count) return;
  add_bias<V>(block, scratch);
  find_top<V>(block, scratch);
}

template <int V>
static void attend_lanes(const AttendTask& task, const BlockScratch& scratch) {
  constexpr int lanes = V * W;
  load_transposed(task.query, task.num_queries, task.shape.head_dim, task.scale, scratch.queries, lanes);
  reset(task, scratch, lanes);
  KeyCursor cursor = start_keys(task);
  if (task.weights.data != nullptr) clear_skipped_weights(task, cursor);
  std::int64_t blocks = 0;
  for (KeyBlock block; (block = next_keys(task, cursor, scratch, lanes)).count > 0; ++blocks) {
    point_at_rows(task.key, block, scratch.indices, scratch.key_rows);
    point_at_rows(task.value, block, scratch.indices, scratch.value_rows);
    score_block<V>(task, block, scratch);
    softmax_block<V>(block, scratch);
    if (task.weights.data != nullptr) store_block_weights(task, block, scratch, lanes, blocks);
    mix_values<V>(task, block, scratch);
  }
  finish(task, scratch, lanes, blocks);
}

// As few batches as the queries need: a task of 10 queries costs one batch, not four.
template <int V>
static void attend_with(const AttendTask& task, const BlockScratch& scratch) {
  if constexpr (V > 1) {
    if (task.num_queries <= (V - 1) * W) return attend_with<V - 1>(task, scratch);
  }
  attend_lanes<V>(task, scratch);
}

static void attend(const AttendTask& task) noexcept {
  Carver carver{reinterpret_cast<std::uintptr_t>(task.scratch)};
  attend_with<max_batches>(task, carve(carver, task.shape));
}
