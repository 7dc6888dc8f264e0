// The second product for few queries, and both as the walk through the keys wants them.

template <class Rows>
struct FewValues {
  Rows values;
  std::int64_t count;
  const float* weights;  // [key][F]
  const float* correction;
  float* context;  // [query][value_dim]
  std::int64_t value_dim;
};

// Lanes that a key has in the tile for N queries.
template <int N>
constexpr int few_lanes = N == 3 ? 4 : N;

// Sums over the block for N queries and C batches of columns.
template <int N, int C, class Rows>
static inline void sum_values(const FewValues<Rows>& block, std::int64_t column, Batch (&sum)[N][C]) {
  clear(sum);
  for (std::int64_t k = 0; k < block.count; ++k) {
    const float* row = block.values[k] + column;
    prefetch_batches(row, C);
    Batch value[C];
    HEADWISE_UNROLL
    for (int c = 0; c < C; ++c) value[c] = Batch::load_unaligned(row + c * W);
    HEADWISE_UNROLL
    for (int i = 0; i < N; ++i) multiply_add(sum, Batch(block.weights[k * few_lanes<N> + i]), value, i);
  }
}

template <int N, int C, class Rows>
static inline void value_strip(const FewValues<Rows>& block, std::int64_t column) {
  Batch sum[N][C];
  sum_values(block, column, sum);
  HEADWISE_UNROLL
  for (int i = 0; i < N; ++i) {
    const Batch scale(block.correction[i]);
    HEADWISE_UNROLL
    for (int c = 0; c < C; ++c) {
      float* at = block.context + i * block.value_dim + column + c * W;
      xsimd::fma(Batch::load_unaligned(at), scale, sum[i][c]).store_unaligned(at);
    }
  }
}

template <int N, int C, class Rows>
static void value_strips(const FewValues<Rows>& block, std::int64_t column, std::int64_t end) {
  for (; column + C * W <= end; column += C * W) value_strip<N, C>(block, column);
  if constexpr (C > 1) value_strips<N, C / 2>(block, column, end);
}

// The columns beyond whole batches: the batch that ends with the row is summed, and its new columns are kept.
template <int N, class Rows>
static void value_rest_strip(const FewValues<Rows>& block, std::int64_t whole) {
  const std::int64_t start = block.value_dim - W;
  Batch sum[N][1];
  sum_values(block, start, sum);
  for (int i = 0; i < N; ++i) {
    float lanes[W];
    sum[i][0].store_unaligned(lanes);
    float* context = block.context + i * block.value_dim;
    for (std::int64_t c = whole; c < block.value_dim; ++c)
      context[c] = context[c] * block.correction[i] + lanes[c - start];
  }
}

// One piece of code for any number of queries and any rows: of a plain sum in order the compiler fuses the products in
// one form and not in another, and bits would differ.
__attribute__((noinline)) static float sum_column(const FewValues<ListedRows>& block, std::int64_t column, int query,
                                                  int lanes) {
  float sum = 0;
  for (std::int64_t k = 0; k < block.count; ++k) sum += block.values[k][column] * block.weights[k * lanes + query];
  return sum;
}

template <int N>
static void value_narrow(const FewValues<ListedRows>& block) {
  for (int i = 0; i < N; ++i) {
    for (std::int64_t c = 0; c < block.value_dim; ++c) {
      float& context = block.context[i * block.value_dim + c];
      context = context * block.correction[i] + sum_column(block, c, i, few_lanes<N>);
    }
  }
}

// Keys are scored W at a time: the last one fills up.
static void extend_rows(const KeyBlock& block, const BlockScratch& scratch) {
  const std::int64_t last = block.count - 1;
  for (std::int64_t end = block.count; end % W != 0; ++end) {
    scratch.key_rows[end] = scratch.key_rows[last];
    scratch.indices[end] = scratch.indices[last];
  }
}

template <int N>
struct FewProducts {
  using Tile = FewTile<few_lanes<N>>;
  static constexpr bool finds_top = false;
  static constexpr int columns = 8 / N;  // 8 sums cover the latency of a multiply-add and fit into 16 registers
  const AttendTask& task;
  const BlockScratch& scratch;
  RowForm form;
  float* state;

  void score(const KeyBlock& block) const {
    extend_rows(block, scratch);
    if (block.biased_from < block.count) pad_bias<Tile>(scratch.bias, block.count);
    const float* const* rows = scratch.key_rows;
    const std::int64_t stride = even_stride(rows, block.count);
    const std::int64_t even = stride != 0 ? block.count / W * W : 0;
    for (std::int64_t k = 0; k < even; k += W) score_group(EvenRows{rows[k], stride}, k);
    for (std::int64_t k = even; k < block.count; k += W) score_group(ListedRows{rows + k}, k);
  }
  void mix(const KeyBlock& block, Carry) const {
    const float* const* rows = scratch.value_rows;
    const std::int64_t stride = even_stride(rows, block.count);
    if (task.shape.value_dim < W) return value_narrow<N>(values_of(ListedRows{rows}, block.count));
    if (stride != 0) return mix_rows(values_of(EvenRows{rows[0], stride}, block.count));
    mix_rows(values_of(ListedRows{rows}, block.count));
  }
  template <class Rows>
  void score_group(Rows keys, std::int64_t first) const {
    Batch scores[Tile::lanes];
    scores[Tile::lanes - 1] = Batch(0.0F);  // of three queries the fourth lane is nobody's
    for (int i = 0; i < N; ++i) scores[i] = score_keys(keys, scratch.queries + i * form.padded(), form);
    store_scores(scores, scratch.scores + first * Tile::lanes);
  }
  template <class Rows>
  FewValues<Rows> values_of(Rows rows, std::int64_t count) const {
    return {rows, count, scratch.scores, scratch.correction, state, task.shape.value_dim};
  }
  template <class Rows>
  void mix_rows(const FewValues<Rows>& values) const {
    value_strips<N, columns>(values, 0, values.value_dim);
    if (values.value_dim % W != 0) value_rest_strip<N>(values, values.value_dim / W * W);
  }
  float& context(std::int64_t query, std::int64_t column) const { return state[query * task.shape.value_dim + column]; }
};
