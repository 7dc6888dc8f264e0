// Where the rows of a block's keys and values stand: f32 rows are pointed at, others are converted into scratch, one
// block at a time.

template <class Stored>
static inline const Stored* row_at(const KeyRows& rows, std::int64_t index) {
  if (index < rows.split) return static_cast<const Stored*>(rows.data) + index * rows.stride;
  return static_cast<const Stored*>(rows.rest) + (index - rows.split) * rows.stride;
}

// Adding the stride is several times cheaper than multiplying by it, which shows where a block has few queries.
static void point_at_rows(const KeyRows& rows, const std::int64_t* indices, std::int64_t count, const float** to) {
  const std::int64_t last = indices[count - 1];
  if (last - indices[0] + 1 == count && (last < rows.split || indices[0] >= rows.split)) {
    const float* row = row_at<float>(rows, indices[0]);
    for (std::int64_t k = 0; k < count; ++k, row += rows.stride) to[k] = row;
    return;
  }
  for (std::int64_t k = 0; k < count; ++k) to[k] = row_at<float>(rows, indices[k]);
}

template <class Reader>
static void convert_row(const KeyRows& rows, std::int64_t index, std::int64_t width, float* to) {
  const auto* from = row_at<typename Reader::Stored>(rows, index);
  for (std::int64_t c = 0; c < width; ++c) to[c] = Reader::value(from[c]);
}

// Row `index` as floats: in place, or converted into buffer.
static const float* float_row(const KeyRows& rows, std::int64_t index, std::int64_t width, float* buffer) {
  if (rows.element == Element::f32) return row_at<float>(rows, index);
  with_reader(rows.element, [&](auto reader) { convert_row<decltype(reader)>(rows, index, width, buffer); });
  return buffer;
}

struct ExtraRows {
  const float* data;
  std::int64_t stride;
};

// Converted rows and those of the extra keys. buffer holds key_block converted rows.
static void find_other_rows(const AttendTask& task, const KeyBlock& block, const std::int64_t* indices,
                            const KeyRows& rows, const ExtraRows& extra, std::int64_t width, float* buffer,
                            const float** to) {
  if (rows.element != Element::f32) {
    const std::int64_t stride = converted_stride(width);
    for (std::int64_t k = 0; k < block.extra_from; ++k) to[k] = float_row(rows, indices[k], width, buffer + k * stride);
  }
  for (std::int64_t k = block.extra_from; k < block.count; ++k) {
    to[k] = extra.data + (indices[k] - task.shape.num_keys) * extra.stride;
  }
}

// Pointers to the rows of a block. What most blocks need comes first and inline, which shows in tiny tasks.
static inline void find_rows(const AttendTask& task, const KeyBlock& block, const std::int64_t* indices,
                             const KeyRows& rows, const ExtraRows& extra, std::int64_t width, float* buffer,
                             const float** to) {
  const bool in_place = rows.element == Element::f32;
  if (in_place && block.extra_from > 0) point_at_rows(rows, indices, block.extra_from, to);
  if (in_place && block.extra_from == block.count) return;
  find_other_rows(task, block, indices, rows, extra, width, buffer, to);
}

static inline void find_key_rows(const AttendTask& task, const KeyBlock& block, const BlockScratch& scratch) {
  find_rows(task, block, scratch.indices, task.key, {task.extra.keys, task.extra.key_stride}, task.shape.head_dim,
            scratch.converted_keys, scratch.key_rows);
}

static inline void find_value_rows(const AttendTask& task, const KeyBlock& block, const BlockScratch& scratch) {
  find_rows(task, block, scratch.indices, task.value, {task.extra.values, task.extra.value_stride},
            task.shape.value_dim, scratch.converted_values, scratch.value_rows);
}
