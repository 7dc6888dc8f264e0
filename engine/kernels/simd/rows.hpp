// How a row of results begins and ends: what all ways through the keys share.

// A sink is there before any key: it has taken probability 1 of a sum of 1 at a maximum of its own.
static inline void reset(const BlockScratch& scratch, int lanes, bool has_sink, float sink) {
  const bool sunk = has_sink && sink != negative_infinity;
  const Batch maximum(sunk ? sink : negative_infinity);
  const Batch live(sunk ? 0.0F : negative_infinity);
  for (int i = 0; i < lanes; i += W) {
    maximum.store_aligned(scratch.maximum + i);
    live.store_aligned(scratch.liveliest + i);
    Batch(sunk ? 1.0F : 0.0F).store_aligned(scratch.sum + i);
    Batch(0.0F).store_aligned(scratch.sum_error + i);
  }
}

static inline bool is_empty(const BlockScratch& scratch, std::int64_t lane) {
  return scratch.liveliest[lane] == negative_infinity;
}

// Leaves 1/sum in scratch.correction, and for a row without a live key 0 or what the policy asks for; the same times
// the gate in scratch.gated. A sum of 0 with live keys, whose scores are all −inf then, gives 0/0: the NaN that softmax
// has there.
static inline void invert_sums(const AttendTask& task, const BlockScratch& scratch, int lanes) {
  const Batch empty(task.empty_row == EmptyRow::nan ? __builtin_nanf("") : 0.0F);
  for (int i = 0; i < lanes; i += W) {
    const Batch inverse = divide(Batch(1.0F), Batch::load_aligned(scratch.sum + i));
    const Batch live = Batch::load_aligned(scratch.liveliest + i);
    const Batch factor = xsimd::select(live == Batch(negative_infinity), empty, inverse);
    factor.store_aligned(scratch.correction + i);
    (factor * Batch(task.gate)).store_aligned(scratch.gated + i);
  }
}

static void store_log_sums(const AttendTask& task, const BlockScratch& scratch) {
  if (task.log_sum_exp == nullptr) return;
  for (std::int64_t i = 0; i < task.num_queries; ++i) {
    const double sum = double(scratch.sum[i]) - double(scratch.sum_error[i]);
    task.log_sum_exp[i] =
        is_empty(scratch, i) ? double(negative_infinity) : double(scratch.maximum[i]) + __builtin_log(sum);
  }
}

// The context is no longer needed when this runs: its memory holds the sums of the columns.
static void fill_mean_row(const AttendTask& task, const BlockScratch& scratch, std::int64_t row) {
  float* out = task.output.data + row * task.output.stride;
  auto* sums = reinterpret_cast<double*>(scratch.context);
  for (std::int64_t c = 0; c < task.shape.value_dim; ++c) sums[c] = 0;
  for (std::int64_t j = 0; j < task.shape.num_keys; ++j) {
    const float* value = float_row(task.value, j, task.shape.value_dim, scratch.value_row);
    for (std::int64_t c = 0; c < task.shape.value_dim; ++c) sums[c] += double(value[c]);
  }
  const double keys = double(maximum(1, task.shape.num_keys));
  for (std::int64_t c = 0; c < task.shape.value_dim; ++c) out[c] = float(sums[c] / keys) * task.gate;
}

// Rows without a live key are rare, so they are mended afterwards, one by one. Policy zero needs no mending. A task
// with extra keys has no such row.
static void fill_empty_rows(const AttendTask& task, const BlockScratch& scratch) {
  if (task.empty_row == EmptyRow::zero) return;
  const bool mean = task.empty_row == EmptyRow::mean;
  const float weight = mean ? 1.0F / float(task.shape.num_keys) : __builtin_nanf("");
  for (std::int64_t i = 0; i < task.num_queries; ++i) {
    if (!is_empty(scratch, i)) continue;
    if (mean) fill_mean_row(task, scratch, i);
    if (task.weights.data == nullptr) continue;
    for (std::int64_t j = 0; j < task.shape.num_keys; ++j) task.weights.data[i * task.weights.stride + j] = weight;
  }
}
