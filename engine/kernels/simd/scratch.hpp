// The scratch memory of one task, carved out of the one piece that the caller gives.

struct BlockScratch {
  float* queries;             // [head_dim][lanes]; few queries: [query][chunks of W]
  float* scores;              // [key_block][lanes]: scores, then weights
  float* bias;                // [key_block][lanes]: 0, a finite bias, or −inf where the key is dead
  float* rows;                // [query_block][key_block]: the same before it is transposed
  float* context;             // [value_dim][lanes]
  float* liveliest;           // [lanes]: 0 where a live key or a sink was met, else −inf
  float* block_top;           // [lanes]: largest score of the block
  float* maximum;             // [lanes]
  float* sum;                 // [lanes]
  float* sum_error;           // [lanes]
  float* correction;          // [lanes]
  float* gated;               // [lanes]: what a row of the output is multiplied by
  float* block_maxima;        // [blocks][lanes]
  float* zeros;               // [value_dim]
  float* value_row;           // [value_dim]: a converted row
  float* converted_keys;      // [key_block][converted_stride]
  float* converted_values;    // [key_block][converted_stride]
  const float** key_rows;     // [key_block]
  const float** value_rows;   // [key_block]
  const float** unsafe_rows;  // [key_block]: value rows that are added lane by lane
  std::int64_t* unsafe;       // [key_block]: their positions in the block
  std::int64_t* indices;      // [key_block]: which key of the sequence
  std::int64_t* block_ends;   // [blocks]: first key of the sequence past the block
  bool* partial;              // [key_block]: dead for some queries of the block, live for others
};

static inline std::int64_t max_blocks(const HeadShape& shape) {
  return (shape.num_keys + max_extra_keys) / key_block + 1;
}

// Hands out pieces of 64-byte multiples; with a null start it only measures.
struct Carver {
  std::uintptr_t at;

  template <class T>
  void take(T*& piece, std::int64_t count) {
    piece = reinterpret_cast<T*>(at);
    at += (std::uintptr_t(count) * sizeof(T) + 63) / 64 * 64;
  }
};

// Converted rows stand one line farther apart than they are long, lest all fall into the same few sets of the cache.
static inline std::int64_t converted_stride(std::int64_t width) {
  constexpr std::int64_t line = 64 / sizeof(float);
  return (width + line - 1) / line * line + line;
}

static BlockScratch carve(Carver& carver, const HeadShape& shape) {
  BlockScratch s;
  const std::int64_t blocks = max_blocks(shape);
  carver.take(s.queries, (shape.head_dim + W) * query_block);
  for (float** tile : {&s.scores, &s.bias, &s.rows}) carver.take(*tile, key_block * query_block);
  carver.take(s.context, shape.value_dim * query_block);
  for (float** lanes : {&s.liveliest, &s.block_top, &s.maximum, &s.sum, &s.sum_error, &s.correction, &s.gated})
    carver.take(*lanes, query_block);
  carver.take(s.block_maxima, blocks * query_block);
  for (float** row : {&s.zeros, &s.value_row}) carver.take(*row, shape.value_dim);
  carver.take(s.converted_keys, shape.converted ? key_block * converted_stride(shape.head_dim) : 0);
  carver.take(s.converted_values, shape.converted ? key_block * converted_stride(shape.value_dim) : 0);
  for (const float*** rows : {&s.key_rows, &s.value_rows, &s.unsafe_rows}) carver.take(*rows, key_block);
  for (std::int64_t** list : {&s.unsafe, &s.indices}) carver.take(*list, key_block);
  carver.take(s.block_ends, blocks);
  carver.take(s.partial, key_block);
  return s;
}

static BlockScratch scratch_of(const AttendTask& task) {
  Carver carver{reinterpret_cast<std::uintptr_t>(task.scratch)};
  return carve(carver, task.shape);
}

static std::size_t scratch_bytes(const HeadShape& shape) noexcept {
  Carver carver{0};
  carve(carver, shape);
  return carver.at;
}
