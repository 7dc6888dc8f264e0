// The keys of few queries in slices, so that threads can share them, and the slices' states made one.

static inline float* slice_maxima(const AttendTask& task, const Slice& slice) {
  return slice.state + task.num_queries * task.shape.value_dim;
}
static inline float* slice_sums(const AttendTask& task, const Slice& slice) {
  return slice_maxima(task, slice) + task.num_queries;
}
static inline float* slice_liveliest(const AttendTask& task, const Slice& slice) {
  return slice_sums(task, slice) + task.num_queries;
}

// A NaN maximum has made the sum NaN too, which is enough to say it.
static void store_state(const AttendTask& task, const BlockScratch& scratch, const Slice& slice) {
  for (std::int64_t i = 0; i < task.num_queries; ++i) {
    const float top = scratch.maximum[i];
    slice_maxima(task, slice)[i] = top == top ? top : 0;
    slice_sums(task, slice)[i] = scratch.sum[i] - scratch.sum_error[i];
    slice_liveliest(task, slice)[i] = scratch.liveliest[i];
  }
}

template <int N>
static void attend_few(const AttendTask& task, std::int64_t first, Slice& slice) {
  const BlockScratch scratch = scratch_of(task);
  const FewProducts<N> products{task, scratch, RowForm(task.shape.head_dim), slice.state};
  load_few_queries(task, products.form, scratch.queries);
  reset(scratch, W, false, 0);
  __builtin_memset(scratch.scores, 0, sizeof(float) * key_block * 4);  // lanes without a query hold ordinary numbers
  __builtin_memset(slice.state, 0, sizeof(float) * N * task.shape.value_dim);
  KeyCursor cursor = start_keys(task, first);
  const std::int64_t blocks = walk_keys(task, scratch, cursor, first, slice_keys / key_block, products);
  slice.key_end = looked_at(cursor);
  store_state(task, scratch, slice);
  if (task.weights.data == nullptr) return;
  for (int i = 0; i < W; ++i) scratch.correction[i] = 1;
  finish_weights(task, scratch, W, first, blocks);
}

template <int N>
static void attend_up_to(const AttendTask& task, std::int64_t first, Slice& slice) {
  if constexpr (N > 1) {
    if (task.num_queries < N) return attend_up_to<N - 1>(task, first, slice);
  }
  attend_few<N>(task, first, slice);
}

static void attend_slice(const AttendTask& task, std::int64_t first, Slice& slice) noexcept {
  attend_up_to<few_queries>(task, first, slice);
}

// By what the numbers of a slice are multiplied to be relative to the maximum of all; 0 for one without a live key.
static inline float slice_factor(const AttendTask& task, const Slice& slice, float top, std::int64_t row) {
  if (slice_liveliest(task, slice)[row] == negative_infinity) return 0;
  return exp_one(slice_maxima(task, slice)[row] - (top == negative_infinity ? 0 : top));
}

static void merge_sums(const AttendTask& task, const Slice* slices, std::int64_t count, const BlockScratch& scratch,
                       std::int64_t row) {
  const float sink = scratch.maximum[row];
  float& top = scratch.maximum[row];
  for (std::int64_t s = 0; s < count; ++s) {
    const float other = slice_maxima(task, slices[s])[row];
    top = top < other ? other : top;
    if (slice_liveliest(task, slices[s])[row] == 0) scratch.liveliest[row] = 0;
  }
  double sum = scratch.sum[row] == 0 ? 0 : double(exp_one(sink - top));
  for (std::int64_t s = 0; s < count; ++s) {
    const float factor = slice_factor(task, slices[s], top, row);
    if (slice_liveliest(task, slices[s])[row] == 0) sum += double(factor) * double(slice_sums(task, slices[s])[row]);
  }
  scratch.sum[row] = float(sum);
  scratch.sum_error[row] = float(double(scratch.sum[row]) - sum);
}

static void merge_context(const AttendTask& task, const Slice* slices, std::int64_t count, const BlockScratch& scratch,
                          std::int64_t row) {
  const std::int64_t width = task.shape.value_dim;
  auto* sums = reinterpret_cast<double*>(scratch.context);
  for (std::int64_t c = 0; c < width; ++c) sums[c] = 0;
  for (std::int64_t s = 0; s < count; ++s) {
    if (slice_liveliest(task, slices[s])[row] != 0) continue;
    const double factor = double(slice_factor(task, slices[s], scratch.maximum[row], row));
    const float* context = slices[s].state + row * width;
    for (std::int64_t c = 0; c < width; ++c) sums[c] += factor * double(context[c]);
  }
  float* out = task.output.data + row * task.output.stride;
  for (std::int64_t c = 0; c < width; ++c) out[c] = float(sums[c] * double(scratch.gated[row]));
}

static void merge_weights(const AttendTask& task, const Slice* slices, std::int64_t count, const BlockScratch& scratch,
                          std::int64_t row) {
  if (is_nan_row(scratch, row)) return fill_nan_row(task, row);
  float* weights = task.weights.data + row * task.weights.stride;
  std::int64_t from = 0;
  for (std::int64_t s = 0; s < count; ++s) {
    const float factor = slice_factor(task, slices[s], scratch.maximum[row], row);
    scale_row(weights + from, slices[s].key_end - from, factor * scratch.correction[row]);
    from = slices[s].key_end;
  }
}

static void merge(const AttendTask& task, const Slice* slices, std::int64_t count) noexcept {
  const BlockScratch scratch = scratch_of(task);
  reset(scratch, query_block, task.score.has_sink, task.score.sink);
  for (std::int64_t i = 0; i < task.num_queries; ++i) merge_sums(task, slices, count, scratch, i);
  invert_sums(task, scratch, query_block);
  for (std::int64_t i = 0; i < task.num_queries; ++i) {
    merge_context(task, slices, count, scratch, i);
    if (task.weights.data != nullptr) merge_weights(task, slices, count, scratch, i);
  }
  store_log_sums(task, scratch);
  fill_empty_rows(task, scratch);
}
