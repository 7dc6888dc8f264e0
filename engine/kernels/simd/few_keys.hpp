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

// Rows of a block as a list, or all the same distance apart, as most are. Without the loads of a list the hardware
// prefetches better: rows of 256 bytes from memory, alone, came at 31 GB/s instead of 24 (bare reading: 31).
struct ListedRows {
  const float* const* rows;
  inline const float* operator[](std::int64_t k) const { return rows[k]; }
};
struct EvenRows {
  const float* first;
  std::int64_t stride;
  inline const float* operator[](std::int64_t k) const { return first + k * stride; }
};

// The distance between rows of a list, 0 when it is not the same between all.
static inline std::int64_t even_stride(const float* const* rows, std::int64_t count) {
  if (count < 2) return 0;
  const auto first = std::intptr_t(rows[0]);
  const std::intptr_t step = std::intptr_t(rows[1]) - first;
  std::intptr_t odd = 0;
  for (std::int64_t k = 0; k < count; ++k) odd |= std::intptr_t(rows[k]) - (first + k * step);
  return odd == 0 ? step / std::intptr_t(sizeof(float)) : 0;
}

// Reading in two streams with arithmetic between, the hardware alone keeps too little under way. One query, d = 64 and
// 128, share of the bare bandwidth of memory: a list and no prefetch 45 and 45 %, even rows 65 and 63 %, asking for L2
// (locality 2) 4 KiB ahead 68 … 78 and 84 %. Into L1, with a list, it was 46 and 48 %; with
// a list 8 KiB ahead was better (61 and 68 %) than 24 KiB (61 and 65 %). From L3 no choice mattered. Past the last row
// a prefetch asks for nothing that can fail.
static inline void prefetch_batches(const float* row, int batches) {
  constexpr int line = 64 / sizeof(float);
  constexpr std::uintptr_t ahead = 4096;
  HEADWISE_UNROLL
  for (int at = 0; at < batches * W; at += line)
    __builtin_prefetch(reinterpret_cast<const void*>(std::uintptr_t(row + at) + ahead), 0, 2);
}

// Adds the products of C batches to the sums of W keys.
template <int C, class Keys>
static inline void multiply_batches(Keys keys, const float* query, std::int64_t from, Batch (&sums)[W]) {
  Batch lanes[C];
  HEADWISE_UNROLL
  for (int c = 0; c < C; ++c) lanes[c] = Batch::load_aligned(query + from + c * W);
  for (int r = 0; r < W; ++r) {
    const float* key = keys[r] + from;
    prefetch_batches(key, C);
    Batch sum = sums[r];
    HEADWISE_UNROLL
    for (int c = 0; c < C; ++c) sum = xsimd::fma(Batch::load_unaligned(key + c * W), lanes[c], sum);
    sums[r] = sum;
  }
}

template <int C, class Keys>
static inline void multiply_rows(Keys keys, const float* query, std::int64_t from, std::int64_t end, Batch (&sums)[W]) {
  for (; from + C * W <= end; from += C * W) multiply_batches<C>(keys, query, from, sums);
  if constexpr (C > 1) multiply_rows<C / 2>(keys, query, from, end, sums);
}

template <class Keys>
static inline void multiply_rest(Keys keys, const float* query, const RowForm& form, Batch (&sums)[W]) {
  const Batch lanes = Batch::load_aligned(query + form.whole);
  for (int r = 0; r < W; ++r) sums[r] = xsimd::fma(form.load_rest(keys[r]), lanes, sums[r]);
}

// The scores of W keys for one query.
template <class Keys>
static inline Batch score_keys(Keys keys, const float* query, const RowForm& form) {
  Batch sums[W];
  for (int r = 0; r < W; ++r) sums[r] = Batch(0.0F);
  multiply_rows<query_batches>(keys, query, 0, form.whole, sums);
  if (form.rest > 0) multiply_rest(keys, query, form, sums);
  return sum_lanes<W>(sums);
}

// scores[key][query] from a batch of keys for each query. In registers: numbers stored one by one and read as a batch
// right after make the CPU wait.
template <int F>
static inline void store_scores(Batch (&of_query)[F], float* scores) {
  const std::make_integer_sequence<int, W> lanes;
  if constexpr (F == 4) {
    interleave(of_query[0], of_query[2], lanes);
    interleave(of_query[1], of_query[3], lanes);
    interleave(of_query[0], of_query[1], lanes);
    interleave(of_query[2], of_query[3], lanes);
  }
  if constexpr (F == 2) interleave(of_query[0], of_query[1], lanes);
  HEADWISE_UNROLL
  for (int i = 0; i < F; ++i) of_query[i].store_aligned(scores + i * W);
}
