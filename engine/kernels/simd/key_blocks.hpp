// Which keys a block of queries meets: walks the live keys in order, key_block at a time. Keys that are dead for every
// query of the block are left out, so padding changes neither the order nor the grouping of what is summed.

struct KeyCursor {
  std::int64_t next, end;              // keys not looked at yet
  std::int64_t open_from, open_end;    // between them no key is dead by its position alone
  std::int64_t extra_next, extra_end;  // indices of the extra keys not taken yet, counted on from num_keys
};

struct KeyBlock {
  std::int64_t count = 0;
  std::int64_t biased_from = key_block;  // first key of the block that needs its bias row
  std::int64_t extra_from = 0;           // first extra key of the block
};

static inline std::int64_t num_columns(const AttendTask& task) {
  return task.shape.num_keys + task.extra.count;
}

// No key between the first and the last of the block was left out.
static inline bool is_run(const KeyBlock& block, const std::int64_t* indices) {
  return indices[block.count - 1] - indices[0] + 1 == block.count;
}

// Starts at key `first`, or at the first key after it that the position of some query allows.
static KeyCursor start_keys(const AttendTask& task, std::int64_t first) {
  const MaskForm& mask = task.mask;
  const std::int64_t keys = maximum(0, minimum(task.shape.num_keys, mask.key_end));
  const std::int64_t last = task.first_query + task.num_queries - 1;
  KeyCursor cursor;
  cursor.end = maximum(0, minimum(keys, last + mask.last_offset + 1));
  cursor.next = minimum(cursor.end, maximum(first, task.first_query + mask.first_offset));
  cursor.open_from = minimum(cursor.end, maximum(cursor.next, last + mask.first_offset));
  cursor.open_end = maximum(cursor.open_from, minimum(cursor.end, task.first_query + mask.last_offset + 1));
  cursor.extra_next = maximum(first, task.shape.num_keys);
  cursor.extra_end = num_columns(task);
  return cursor;
}

// The first key that was not looked at.
static inline std::int64_t looked_at(const KeyCursor& cursor) {
  return cursor.next < cursor.end ? cursor.next : cursor.extra_next;
}

// A stretch of keys of one class, within which all or none are limited by position.
struct Stretch {
  std::int64_t end;
  ChunkClass kind;
  bool open;
};

// What all planes together say of a chunk. A plane that nobody scanned can be anything.
static ChunkClass class_of(const MaskForm& mask, std::int64_t chunk) {
  ChunkClass result = ChunkClass::plain;
  for (int p = 0; p < mask.num_planes; ++p) {
    const ChunkClass* classes = mask.planes[p].classes;
    const ChunkClass one = classes == nullptr ? ChunkClass::mixed : classes[chunk];
    if (one == ChunkClass::dead) return ChunkClass::dead;
    if (one == ChunkClass::mixed) result = ChunkClass::mixed;
  }
  return result;
}

static inline bool is_scanned(const MaskForm& mask) {
  bool scanned = false;
  for (int p = 0; p < mask.num_planes; ++p) scanned = scanned || mask.planes[p].classes != nullptr;
  return scanned;
}

static Stretch next_stretch(const AttendTask& task, const KeyCursor& cursor) {
  const std::int64_t at = cursor.next;
  const bool open = at >= cursor.open_from && at < cursor.open_end;
  const std::int64_t limit = at < cursor.open_from ? cursor.open_from : open ? cursor.open_end : cursor.end;
  if (!is_scanned(task.mask)) return {limit, task.mask.num_planes > 0 ? ChunkClass::mixed : ChunkClass::plain, open};
  std::int64_t chunk = at / scan_chunk;
  const ChunkClass kind = class_of(task.mask, chunk);
  do ++chunk;
  while (chunk * scan_chunk < limit && class_of(task.mask, chunk) == kind);
  return {minimum(limit, chunk * scan_chunk), kind, open};
}

enum class Column { dead, plain, biased, partial };

static Column classify(const float* lanes, std::int64_t count) {
  const auto [dead, plain] = count_lanes(lanes, count);
  return dead == count ? Column::dead : plain == count ? Column::plain : dead > 0 ? Column::partial : Column::biased;
}

// In a tile for few queries the batch of the first biased key may begin with plain ones.
static inline void start_bias(KeyBlock& block, const BlockScratch& scratch, int lanes) {
  block.biased_from = block.count;
  for (std::int64_t at = block.count * lanes; at % W != 0; --at) scratch.bias[at - 1] = 0;
}

static void append(KeyBlock& block, const BlockScratch& scratch, std::int64_t key, Column kind, int lanes) {
  if (kind != Column::plain && block.biased_from > block.count) start_bias(block, scratch, lanes);
  scratch.indices[block.count] = key;
  scratch.partial[block.count++] = kind == Column::partial;
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

static void transpose_bias(const AttendTask& task, const float* rows, std::int64_t count, float* bias, int lanes) {
  if (lanes >= W) return load_transposed({rows, key_block}, task.num_queries, count, 1.0F, bias, lanes);
  for (int i = 0; i < lanes; ++i) {
    const float* row = rows + minimum(i, task.num_queries - 1) * key_block;
    for (std::int64_t k = 0; k < count; ++k) bias[k * lanes + i] = row[k];
  }
}

static void append_masked(const AttendTask& task, KeyBlock& block, const BlockScratch& scratch, std::int64_t first,
                          std::int64_t count, int lanes) {
  fill_bias_rows(task, first, count, scratch.rows);
  float* bias = scratch.bias + block.count * lanes;
  transpose_bias(task, scratch.rows, count, bias, lanes);
  for (std::int64_t i = 0; i < count; ++i) {
    const float* column = bias + i * lanes;
    const Column kind = classify(column, task.num_queries);
    if (kind == Column::dead) continue;
    float* to = scratch.bias + block.count * lanes;
    if (to != column) __builtin_memmove(to, column, sizeof(float) * lanes);
    append(block, scratch, first + i, kind, lanes);
  }
}

// Planes without a query axis, as padding is, say the same to every query: one row is read.
static inline bool is_shared(const MaskForm& mask) {
  for (int p = 0; p < mask.num_planes; ++p) {
    if (mask.planes[p].query_stride != 0) return false;
  }
  return true;
}

static void append_shared(const AttendTask& task, KeyBlock& block, const BlockScratch& scratch, std::int64_t first,
                          std::int64_t count, int lanes) {
  fill_bias_row(task.mask, task.first_query, first, count, scratch.rows);
  for (std::int64_t i = 0; i < count; ++i) {
    const float bias = scratch.rows[i];
    if (bias == negative_infinity) continue;
    append(block, scratch, first + i, bias == 0 ? Column::plain : Column::biased, lanes);
    if (block.biased_from >= block.count) continue;
    float* row = scratch.bias + (block.count - 1) * lanes;
    for (int lane = 0; lane < lanes; ++lane) row[lane] = bias;
  }
}

static void append_stretch(const AttendTask& task, KeyBlock& block, const BlockScratch& scratch, KeyCursor& cursor,
                           int lanes) {
  const Stretch stretch = next_stretch(task, cursor);
  std::int64_t count = stretch.end - cursor.next;
  if (stretch.kind != ChunkClass::dead) {
    count = minimum(count, key_block - block.count);
    if (!stretch.open) {
      append_masked(task, block, scratch, cursor.next, count, lanes);
    } else if (stretch.kind == ChunkClass::plain) {
      append_plain(block, scratch, cursor.next, count, lanes);
    } else if (is_shared(task.mask)) {
      append_shared(task, block, scratch, cursor.next, count, lanes);
    } else {
      append_masked(task, block, scratch, cursor.next, count, lanes);
    }
  }
  cursor.next += count;
}

static void append_extra(KeyBlock& block, const BlockScratch& scratch, KeyCursor& cursor, int lanes) {
  const std::int64_t count = minimum(key_block - block.count, cursor.extra_end - cursor.extra_next);
  if (count <= 0) return;
  append_plain(block, scratch, cursor.extra_next, count, lanes);
  cursor.extra_next += count;
}

// Gathers the next up to key_block live keys; a count of 0 says that there are no more.
static KeyBlock next_keys(const AttendTask& task, KeyCursor& cursor, const BlockScratch& scratch, int lanes) {
  KeyBlock block;
  while (block.count < key_block && cursor.next < cursor.end) append_stretch(task, block, scratch, cursor, lanes);
  block.extra_from = block.count;
  if (cursor.next >= cursor.end) append_extra(block, scratch, cursor, lanes);
  return block;
}
