// Masks as rows of biases, [query][key]: 0, a finite bias, or −inf where a key is dead.

// Two finite biases never make a dead key: a sum of two lowest floats, as in masks that say so twice, stays the lowest.
static inline float combine(float bias, float more) {
  constexpr float lowest = -3.402823466e38F;
  const float sum = bias + more < lowest ? lowest : bias + more;
  return bias == negative_infinity || more == negative_infinity ? negative_infinity : sum;
}

// Calls loop with the stride, as a constant when it is 1: g++ makes vectors of that loop only.
template <class Loop>
static inline void with_stride(std::int64_t stride, const Loop& loop) {
  if (stride == 1) return loop(std::integral_constant<std::int64_t, 1>());
  loop(stride);
}

template <class Reader>
static void add_biases(const MaskPlane& plane, std::int64_t start, std::int64_t count, float* __restrict row) {
  const auto* bias = static_cast<const typename Reader::Stored*>(plane.data) + start;
  with_stride(plane.key_stride, [&](auto stride) {
    for (std::int64_t i = 0; i < count; ++i) row[i] = combine(row[i], Reader::value(bias[i * stride]));
  });
}

static void kill_bytes(const MaskPlane& plane, std::int64_t start, std::int64_t count, float* __restrict row) {
  const bool keep = plane.kind == MaskKind::keep;
  const std::uint8_t* set = static_cast<const std::uint8_t*>(plane.data) + start;
  with_stride(plane.key_stride, [&](auto stride) {
    for (std::int64_t i = 0; i < count; ++i) row[i] = (set[i * stride] != 0) == keep ? row[i] : negative_infinity;
  });
}

template <class Id>
static void kill_others(const MaskPlane& plane, std::int64_t query, std::int64_t first, std::int64_t count,
                        float* __restrict row) {
  const Id own = static_cast<const Id*>(plane.query_ids)[query * plane.query_stride];
  const Id* ids = static_cast<const Id*>(plane.data) + first * plane.key_stride;
  with_stride(plane.key_stride, [&](auto stride) {
    for (std::int64_t i = 0; i < count; ++i) row[i] = ids[i * stride] == own ? row[i] : negative_infinity;
  });
}

static void add_plane(const MaskPlane& plane, std::int64_t query, std::int64_t first, std::int64_t count, float* row) {
  if (plane.kind == MaskKind::documents) {
    if (plane.element == Element::i32) return kill_others<std::int32_t>(plane, query, first, count, row);
    return kill_others<std::int64_t>(plane, query, first, count, row);
  }
  const std::int64_t start = query * plane.query_stride + first * plane.key_stride;
  if (plane.kind != MaskKind::additive) return kill_bytes(plane, start, count, row);
  with_reader(plane.element, [&](auto reader) { add_biases<decltype(reader)>(plane, start, count, row); });
}

// The bias of one query for keys first … first + count − 1. Indices are below 2⁴⁰ and offsets within ±2⁶¹, so no sum
// overflows.
static void fill_bias_row(const MaskForm& mask, std::int64_t query, std::int64_t first, std::int64_t count,
                          float* row) {
  const std::int64_t from = maximum(0, minimum(count, query + mask.first_offset - first));
  const std::int64_t live = maximum(from, minimum(count, query + mask.last_offset + 1 - first));
  for (std::int64_t j = 0; j < from; ++j) row[j] = negative_infinity;
  for (std::int64_t j = from; j < live; ++j) row[j] = 0;
  for (std::int64_t j = live; j < count; ++j) row[j] = negative_infinity;
  for (int p = 0; p < mask.num_planes; ++p) add_plane(mask.planes[p], query, first, count, row);
}

static void fill_bias_rows(const AttendTask& task, std::int64_t first, std::int64_t count, float* rows) {
  for (std::int64_t i = 0; i < task.num_queries; ++i) {
    fill_bias_row(task.mask, task.first_query + i, first, count, rows + i * key_block);
  }
}

// 32-bit counts, since they have the width of what is counted.
struct LaneCount {
  std::int32_t dead, plain;
};

static inline LaneCount count_lanes(const float* lanes, std::int64_t count) {
  LaneCount result{0, 0};
  for (std::int64_t i = 0; i < count; ++i) {
    result.dead += lanes[i] == negative_infinity;
    result.plain += lanes[i] == 0;
  }
  return result;
}

// What a plane says about one chunk of keys: each row is looked at until the answer can only be `mixed`.
static ChunkClass scan_one(const MaskPlane& plane, const AttendTask& task, std::int64_t first, std::int64_t count) {
  LaneCount all{0, 0};
  const std::int64_t rows = plane.query_stride == 0 ? minimum(1, task.num_queries) : task.num_queries;
  for (std::int64_t i = 0; i < rows; ++i) {
    float row[scan_chunk] = {};
    add_plane(plane, task.first_query + i, first, count, row);
    const LaneCount one = count_lanes(row, count);
    all = {all.dead + one.dead, all.plain + one.plain};
    if (all.dead < (i + 1) * count && all.plain < (i + 1) * count) return ChunkClass::mixed;
  }
  return all.dead == rows * count ? ChunkClass::dead : ChunkClass::plain;
}

static void scan(const MaskPlane& plane, const AttendTask& task, ChunkClass* classes) noexcept {
  for (std::int64_t first = 0; first < task.shape.num_keys; first += scan_chunk) {
    *classes++ = scan_one(plane, task, first, minimum(scan_chunk, task.shape.num_keys - first));
  }
}
