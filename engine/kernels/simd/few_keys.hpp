// Few queries, as in decoding: too few to fill lanes, and every number of a key or value row is used once or a few
// times only, so reading them is the work. Lanes run along the rows: scores are dot products, whose sums over lanes are
// taken for W keys at once; values are added row by row into contexts that stay in registers.

// Transposes and adds: lane r of the result is the sum over the lanes of m[r]. Every sum is taken in the same tree.
template <int N>
static inline Batch sum_lanes(const Batch (&m)[N]) {
  if constexpr (N == 1) {
    return m[0];
  } else {
    Batch half[N / 2];
    HEADWISE_UNROLL
    for (int i = 0; i < N / 2; ++i) {
      Batch a = m[i];
      Batch b = m[i + N / 2];
      interleave(a, b, std::make_integer_sequence<int, W>());
      half[i] = a + b;
    }
    return sum_lanes<N / 2>(half);
  }
}

// Rows are read in batches. What a row has beyond whole batches is read as the batch that ends with the row, with
// zeros, by a mask, for the lanes that were read before.
struct RowForm {
  std::int64_t width, whole, rest;
  IntBatch rest_mask;

  explicit RowForm(std::int64_t row_width) : width(row_width), whole(row_width / W * W), rest(row_width % W) {
    std::int32_t lanes[W];
    for (int i = 0; i < W; ++i) lanes[i] = (width < W ? i < rest : i >= W - rest) ? -1 : 0;
    rest_mask = IntBatch::load_unaligned(lanes);
  }
  inline Batch load_rest(const float* row) const {
    if (width >= W) return float_of(bits_of(Batch::load_unaligned(row + width - W)) & rest_mask);
    float lanes[W] = {};
    for (std::int64_t c = 0; c < width; ++c) lanes[c] = row[c];
    return Batch::load_unaligned(lanes);
  }
  std::int64_t padded() const { return whole + W; }
};

// Scaled queries, the rest of a row in a batch of its own.
static void load_few_queries(const AttendTask& task, const RowForm& form, float* queries) {
  const Batch scale(float(task.score.scale));
  for (std::int64_t i = 0; i < task.num_queries; ++i, queries += form.padded()) {
    const float* row = task.query.data + i * task.query.stride;
    for (std::int64_t c = 0; c < form.whole; c += W)
      (Batch::load_unaligned(row + c) * scale).store_aligned(queries + c);
    if (form.rest > 0) (form.load_rest(row) * scale).store_aligned(queries + form.whole);
  }
}

// Components of a query that stay in registers: 8 batches are a head of 128 with AVX-512, of 64 with AVX2.
constexpr int query_batches = 8;

// Every row read asks for the one so many rows later, so lists of rows go on for as long: behind the keys come the
// block's first values, behind the values the next block's first keys. One query, d = 64: 20 % faster from L2, 30 %
// from memory; in bursts, a group of rows at a time, it was slower than none.
static inline void prefetch_batches(const float* row, int batches) {
  HEADWISE_UNROLL
  for (int c = 0; c < batches; ++c) __builtin_prefetch(row + c * W);
}

// Adds the products of C batches to the sums of W keys.
template <int C>
static inline void multiply_batches(const float* const* keys, const float* query, std::int64_t from, Batch (&sums)[W]) {
  Batch lanes[C];
  HEADWISE_UNROLL
  for (int c = 0; c < C; ++c) lanes[c] = Batch::load_aligned(query + from + c * W);
  for (int r = 0; r < W; ++r) {
    const float* key = keys[r] + from;
    prefetch_batches(keys[r + rows_ahead] + from, C);
    Batch sum = sums[r];
    HEADWISE_UNROLL
    for (int c = 0; c < C; ++c) sum = xsimd::fma(Batch::load_unaligned(key + c * W), lanes[c], sum);
    sums[r] = sum;
  }
}

template <int C>
static inline void multiply_rows(const float* const* keys, const float* query, std::int64_t from, std::int64_t end,
                                 Batch (&sums)[W]) {
  for (; from + C * W <= end; from += C * W) multiply_batches<C>(keys, query, from, sums);
  if constexpr (C > 1) multiply_rows<C / 2>(keys, query, from, end, sums);
}

static inline void multiply_rest(const float* const* keys, const float* query, const RowForm& form, Batch (&sums)[W]) {
  const Batch lanes = Batch::load_aligned(query + form.whole);
  for (int r = 0; r < W; ++r) sums[r] = xsimd::fma(form.load_rest(keys[r]), lanes, sums[r]);
}

// scores[r][query] for W keys and one query.
template <int F>
static inline void score_keys(const float* const* keys, const float* query, const RowForm& form, float* scores) {
  Batch sums[W];
  for (int r = 0; r < W; ++r) sums[r] = Batch(0.0F);
  multiply_rows<query_batches>(keys, query, 0, form.whole, sums);
  if (form.rest > 0) multiply_rest(keys, query, form, sums);
  if constexpr (F == 1) return sum_lanes<W>(sums).store_aligned(scores);
  float lanes[W];
  sum_lanes<W>(sums).store_unaligned(lanes);
  HEADWISE_UNROLL
  for (int r = 0; r < W; ++r) scores[r * F] = lanes[r];
}
