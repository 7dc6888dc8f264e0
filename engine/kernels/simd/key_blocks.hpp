// Which keys a block of queries meets: walks the live keys in order, key_block at a time. Keys that are dead for every
// query of the block are left out, so padding changes neither the order nor the grouping of what is summed.

struct KeyCursor {
  std::int64_t next, end;  // keys not looked at yet
  std::int64_t open_end;   // below it, no key is dead by its position alone
};

struct KeyBlock {
  std::int64_t count = 0;
  std::int64_t biased_from = key_block;  // first key of the block that needs its bias row
};

// No key between the first and the last of the block was left out.
static inline bool is_run(const KeyBlock& block, const std::int64_t* indices) {
  return indices[block.count - 1] - indices[0] + 1 == block.count;
}

static KeyCursor start_keys(const AttendTask& task) {
  const MaskForm& mask = task.mask;
  const std::int64_t keys = maximum(0, minimum(task.shape.num_keys, mask.key_end));
  const std::int64_t last = task.first_query + task.num_queries - 1;
  return {0, maximum(0, minimum(keys, last + mask.causal_offset + 1)),
          maximum(0, minimum(keys, task.first_query + mask.causal_offset + 1))};
}

static inline float combine(float bias, float more) {
  return bias == negative_infinity || more == negative_infinity ? negative_infinity : bias + more;
}

static void add_plane(const MaskPlane& plane, std::int64_t query, std::int64_t first, std::int64_t count, float* row) {
  const std::int64_t start = query * plane.query_stride + first * plane.key_stride;
  if (plane.kind == MaskKind::additive) {
    const float* bias = static_cast<const float*>(plane.data) + start;
    for (std::int64_t i = 0; i < count; ++i) row[i] = combine(row[i], bias[i * plane.key_stride]);
    return;
  }
  const bool keep = plane.kind == MaskKind::keep;
  const std::uint8_t* set = static_cast<const std::uint8_t*>(plane.data) + start;
  for (std::int64_t i = 0; i < count; ++i)
    row[i] = (set[i * plane.key_stride] != 0) == keep ? row[i] : negative_infinity;
}

// The bias of every query of the block for keys first … first + count − 1, row by row.
static void fill_bias_rows(const AttendTask& task, std::int64_t first, std::int64_t count, float* rows) {
  for (std::int64_t i = 0; i < task.num_queries; ++i) {
    float* row = rows + i * key_block;
    const std::int64_t query = task.first_query + i;
    const std::int64_t live = maximum(0, minimum(count, query + task.mask.causal_offset + 1 - first));
    for (std::int64_t j = 0; j < live; ++j) row[j] = 0;
    for (std::int64_t j = live; j < count; ++j) row[j] = negative_infinity;
    for (int p = 0; p < task.mask.num_planes; ++p) add_plane(task.mask.planes[p], query, first, count, row);
  }
}

enum class Column { dead, plain, biased, partial };

static Column classify(const float* lanes, std::int64_t count) {
  std::int64_t dead = 0;
  std::int64_t plain = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    dead += lanes[i] == negative_infinity;
    plain += lanes[i] == 0;
  }
  return dead == count ? Column::dead : plain == count ? Column::plain : dead > 0 ? Column::partial : Column::biased;
}

static void append(KeyBlock& block, const BlockScratch& scratch, std::int64_t key, bool partial) {
  scratch.indices[block.count] = key;
  scratch.partial[block.count++] = partial;
}

// Bias rows exist from biased_from on, so plain keys behind that point get rows of zeros; those before it get none.
static void append_plain(KeyBlock& block, const BlockScratch& scratch, std::int64_t first, std::int64_t count,
                         int lanes) {
  if (block.biased_from < block.count) {
    __builtin_memset(scratch.bias + block.count * lanes, 0, sizeof(float) * count * lanes);
  }
  __builtin_memset(scratch.partial + block.count, 0, sizeof(bool) * count);
  std::int64_t* indices = scratch.indices + block.count;
  for (std::int64_t i = 0; i < count; ++i) indices[i] = first + i;
  block.count += count;
}

static void append_masked(const AttendTask& task, KeyBlock& block, const BlockScratch& scratch, std::int64_t first,
                          std::int64_t count, int lanes) {
  fill_bias_rows(task, first, count, scratch.rows);
  float* bias = scratch.bias + block.count * lanes;
  load_transposed({scratch.rows, key_block}, task.num_queries, count, 1.0F, bias, lanes);
  for (std::int64_t i = 0; i < count; ++i) {
    const float* column = bias + i * lanes;
    const Column kind = classify(column, task.num_queries);
    if (kind == Column::dead) continue;
    if (kind != Column::plain) block.biased_from = minimum(block.biased_from, block.count);
    float* to = scratch.bias + block.count * lanes;
    if (to != column) __builtin_memmove(to, column, sizeof(float) * lanes);
    append(block, scratch, first + i, kind == Column::partial);
  }
}

// Gathers the next up to key_block live keys; a count of 0 says that there are no more.
static KeyBlock next_keys(const AttendTask& task, KeyCursor& cursor, const BlockScratch& scratch, int lanes) {
  KeyBlock block;
  while (block.count < key_block && cursor.next < cursor.end) {
    const bool open = cursor.next < cursor.open_end;
    const std::int64_t limit = open ? cursor.open_end : cursor.end;
    const std::int64_t count = minimum(key_block - block.count, limit - cursor.next);
    if (open && task.mask.num_planes == 0) {
      append_plain(block, scratch, cursor.next, count, lanes);
    } else {
      append_masked(task, block, scratch, cursor.next, count, lanes);
    }
    cursor.next += count;
  }
  return block;
}
