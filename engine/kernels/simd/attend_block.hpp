// One task from queries to output, the queries in V batches of lanes.

template <int V>
struct LaneProducts {
  using Tile = LaneTile<V>;
  static constexpr int lanes = V * W;
  static constexpr bool finds_top = true;
  const AttendTask& task;
  const BlockScratch& scratch;

  void score(const KeyBlock& block) const {
    for (int i = 0; i < lanes; ++i) scratch.block_top[i] = negative_infinity;
    score_rows<V>({scratch.key_rows, scratch.queries, task.shape.head_dim, scratch.scores, scratch.block_top},
                  block.count);
  }
  void mix(const KeyBlock& block, Carry carry) const {
    value_columns<V>({scratch.value_rows, block.count, scratch.scores, scratch.correction, carry, scratch.context},
                     task.shape.value_dim);
  }
  float& context(std::int64_t query, std::int64_t column) const { return scratch.context[column * lanes + query]; }
};

static void finish(const AttendTask& task, const BlockScratch& scratch, int lanes, std::int64_t blocks) {
  invert_sums(task, scratch, lanes);
  if (blocks == 0) __builtin_memset(scratch.context, 0, sizeof(float) * lanes * task.shape.value_dim);
  store_transposed(scratch.context, lanes, scratch.gated, task.output, task.num_queries, task.shape.value_dim);
  if (task.weights.data != nullptr) {
    lap(task.times, AttendPart::edges);
    finish_weights(task, scratch, lanes, 0, blocks);
    lap(task.times, AttendPart::weights);
  }
  store_log_sums(task, scratch);
  fill_empty_rows(task, scratch);
}

static inline void load_queries(const AttendTask& task, const BlockScratch& scratch, int lanes) {
  load_transposed(task.query, task.num_queries, task.shape.head_dim, float(task.score.scale), scratch.queries, lanes);
}

template <int V>
static void attend_lanes(const AttendTask& task) {
  constexpr int lanes = V * W;
  const BlockScratch scratch = scratch_of(task);
  load_queries(task, scratch, lanes);
  reset(scratch, lanes, task.score.has_sink, task.score.sink);
  KeyCursor cursor = start_keys(task, 0);
  const std::int64_t blocks =
      walk_keys(task, scratch, cursor, 0, max_blocks(task.shape), LaneProducts<V>{task, scratch});
  finish(task, scratch, lanes, blocks);
}

// Calls function with as few batches as the queries need: a task of 10 queries costs one batch, not four.
template <int V, class Function>
static void with_batches(const AttendTask& task, const Function& function) {
  if constexpr (V > 1) {
    if (task.num_queries <= (V - 1) * W) return with_batches<V - 1>(task, function);
  }
  function(std::integral_constant<int, V>());
}

static void attend(const AttendTask& task) noexcept {
  with_batches<max_batches>(task, [&](auto batches) { attend_lanes<batches>(task); });
}
