// Scores for the caller, at any stage before the softmax.

template <int V>
static void score_lanes(const AttendTask& task, bool cap, bool modify) {
  const BlockScratch scratch = scratch_of(task);
  load_queries(task, scratch, V * W);
  const LaneProducts<V> products{task, scratch};
  KeyCursor cursor = start_keys(task, 0);
  std::int64_t first = 0;
  for (KeyBlock block; (block = next_keys(task, cursor, scratch, V * W)).count > 0; first = looked_at(cursor)) {
    find_key_rows(task, block, scratch);
    products.score(block);
    if (modify) {
      modify_scores<LaneTile<V>>(task, block, scratch);
    } else if (cap) {
      cap_scores<LaneTile<V>>(task, block, scratch);
    }
    store_columns(task, block, scratch, V * W, first, looked_at(cursor), negative_infinity);
  }
  fill_columns(task, first, looked_at(cursor), negative_infinity);
}

// Before the mask every key is as good as live.
static void score(const AttendTask& task, ScoreStage stage) noexcept {
  AttendTask open = task;
  if (stage != ScoreStage::masked) open.mask = {task.shape.num_keys, -MaskForm::open, MaskForm::open, {}, 0};
  const bool cap = stage == ScoreStage::capped && task.score.softcap != 0;
  with_batches<max_batches>(open, [&](auto batches) { score_lanes<batches>(open, cap, stage == ScoreStage::masked); });
}
