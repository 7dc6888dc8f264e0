// The scratch memory of one task, carved out of the one piece that the caller gives.

struct BlockScratch {
  float* queries;            // [head_dim][lanes]
  float* scores;             // [key_block][lanes]: scores, then weights
  float* bias;               // [key_block][lanes]: 0, a finite bias, or −inf where the key is dead
  float* rows;               // [query_block][key_block]: the same before it is transposed
  float* context;            // [value_dim][lanes]
  float* liveliest;          // [lanes]: largest bias of a live key so far, −inf where there was none
  float* block_top;          // [lanes]: largest score of the block
  float* maximum;            // [lanes]
  float* sum;                // [lanes]
  float* sum_error;          // [lanes]
  float* correction;         // [lanes]
  float* block_maxima;       // [blocks][lanes]
  float* zeros;              // [value_dim]
  const float** key_rows;    // [key_block]
  const float** value_rows;  // [key_block]
  std::int64_t* indices;     // [key_block]: which key of the sequence
  std::int64_t* unsafe;      // [key_block]: positions in the block that are added lane by lane
  std::int64_t* block_ends;  // [blocks]: first key of the sequence past the block
  bool* partial;             // [key_block]: dead for some queries of the block, live for others
};

static inline std::int64_t max_blocks(const HeadShape& shape) {
  return shape.num_keys / key_block + 1;
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

static BlockScratch carve(Carver& carver, const HeadShape& shape) {
  BlockScratch s;
  const std::int64_t blocks = max_blocks(shape);
  carver.take(s.queries, shape.head_dim * query_block);
  carver.take(s.scores, key_block * query_block);
  carver.take(s.bias, key_block * query_block);
  carver.take(s.rows, key_block * query_block);
  carver.take(s.context, shape.value_dim * query_block);
  for (float** lanes : {&s.liveliest, &s.block_top, &s.maximum, &s.sum, &s.sum_error, &s.correction})
    carver.take(*lanes, query_block);
  carver.take(s.block_maxima, blocks * query_block);
  carver.take(s.zeros, shape.value_dim);
  carver.take(s.key_rows, key_block);
  carver.take(s.value_rows, key_block);
  for (std::int64_t** list : {&s.indices, &s.unsafe}) carver.take(*list, key_block);
  carver.take(s.block_ends, blocks);
  carver.take(s.partial, key_block);
  return s;
}

static std::size_t scratch_bytes(const HeadShape& shape) noexcept {
  Carver carver{0};
  carve(carver, shape);
  return carver.at;
}
