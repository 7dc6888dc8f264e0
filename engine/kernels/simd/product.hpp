// Rows times a packed matrix, y = x·Wᵀ + b. A panel of W has as many columns as a block of queries has lanes, so the
// tile is the one that scores keys: scalars of x are broadcast, the panel's rows are read as they lie.

struct ProductTile {
  const float* x;
  float* y;
  const float* panel;
  const float* bias;
  std::int64_t x_stride, y_stride;
  std::int64_t features, slice;  // of the chunk; of a chain
  std::int64_t columns;          // of the panel
  bool first, last;              // chunk
};

// Each from the one before: as multiples of the stride the compiler computes them in vectors, which takes until the
// last tile has stored its sums (0.012 of the peak with slices of 64).
template <int R>
static HEADWISE_INLINE void find_rows(const ProductTile& tile, const float* (&x)[R]) {
  x[0] = tile.x;
  for (int r = 1; r < R; ++r) x[r] = x[r - 1] + tile.x_stride;
}

// Sums the features from `first` to `end`, a slice, in one chain.
template <int R, int V>
static HEADWISE_INLINE void sum_slice(const ProductTile& tile, const float* const (&x)[R], std::int64_t first,
                                      std::int64_t end, Batch (&sum)[R][V]) {
  clear(sum);
  HEADWISE_UNROLL_FEW
  for (std::int64_t c = first; c < end; ++c) {
    Batch lanes[V];
    load_lanes<V>(tile.panel + c * query_block, lanes);
    HEADWISE_UNROLL
    for (int r = 0; r < R; ++r) multiply_add(sum, Batch(x[r][c]), lanes, r);
  }
}

struct SumRows {
  float* data;
  std::int64_t stride;
};

// to[r] = from[r] + sum[r] + bias; without from or bias when they are nullptr.
template <int R, int V>
static HEADWISE_INLINE void put_sums(const Batch (&sum)[R][V], const SumRows& from, const SumRows& to,
                                     const float* bias) {
  HEADWISE_UNROLL
  for (int r = 0; r < R; ++r) {
    HEADWISE_UNROLL
    for (int v = 0; v < V; ++v) {
      Batch value = sum[r][v];
      if (from.data != nullptr) value = Batch::load_unaligned(from.data + r * from.stride + v * W) + value;
      if (bias != nullptr) value = value + Batch::load_aligned(bias + v * W);
      value.store_unaligned(to.data + r * to.stride + v * W);
    }
  }
}

// The sums of the slices are added up near the core: where each slice went over all rows before the next, its sums
// went through y, and a product of 384 features reached 0.93 of the peak with slices of 64.
template <int R, int V>
static void full_tile(const ProductTile& tile) {
  const float* x[R];
  find_rows(tile, x);
  alignas(64) float total[R * V * W];
  const SumRows y{tile.y, tile.y_stride}, between{total, V * W};
  SumRows from = tile.first ? SumRows{nullptr, 0} : y;
  Batch sum[R][V];
  for (std::int64_t c = 0;; c += tile.slice) {
    const std::int64_t end = minimum(c + tile.slice, tile.features);
    sum_slice<R, V>(tile, x, c, end, sum);
    if (end == tile.features) break;
    put_sums(sum, from, between, nullptr);
    from = between;
  }
  put_sums(sum, from, y, tile.last ? tile.bias : nullptr);
}

// Where the panel ends inside a batch, y takes the way through a copy.
template <int R, int V>
static void product_tile(const ProductTile& tile) {
  if (tile.columns == V * W) return full_tile<R, V>(tile);
  alignas(64) float copy[R * V * W];
  const std::size_t bytes = sizeof(float) * std::size_t(tile.columns);
  for (int r = 0; r < R; ++r) __builtin_memcpy(copy + r * V * W, tile.y + r * tile.y_stride, bytes);
  ProductTile whole = tile;
  whole.y = copy;
  whole.y_stride = V * W;
  full_tile<R, V>(whole);
  for (int r = 0; r < R; ++r) __builtin_memcpy(tile.y + r * tile.y_stride, copy + r * V * W, bytes);
}

template <int R, int V>
static void product_rows(const ProductTile& tile, std::int64_t rows) {
  if (rows == R) return product_tile<R, V>(tile);
  if constexpr (R > 1) product_rows<R - 1, V>(tile, rows);
}

// All rows of one chunk of one panel, in tiles of about equal height. The panel is left to the hardware's prefetcher,
// which finds it: asked for a tile ahead, or feature by feature, an encoder's call of 28 rows took 1.1 and 1.2 of the
// time, one of 5 rows 1.3, and one of 16 rows 0.97.
template <int V>
static void product_chunk(const ProductTile& tile, std::int64_t rows) {
  const std::int64_t tiles = (rows + tile_rows - 1) / tile_rows;
  for (std::int64_t t = 0; t < tiles; ++t) {
    const std::int64_t first = rows * t / tiles;
    ProductTile at = tile;
    at.x += first * tile.x_stride;
    at.y += first * tile.y_stride;
    product_rows<tile_rows, V>(at, rows * (t + 1) / tiles - first);
  }
}

// Of a panel, that stay in L2 while all rows pass by.
constexpr std::int64_t chunk_floats = 32768;

template <int V>
static void product_panel(const ProductTask& task, std::int64_t first, std::int64_t columns) {
  const std::int64_t chunk = maximum(1, chunk_floats / query_block / task.slice) * task.slice;
  for (std::int64_t c = 0; c < task.in; c += chunk) {
    ProductTile tile;
    tile.x = task.x + c;
    tile.y = task.y + first;
    tile.panel = task.panels + first * task.in + c * query_block;
    tile.bias = task.bias == nullptr ? nullptr : task.bias + first;
    tile.x_stride = task.x_stride;
    tile.y_stride = task.y_stride;
    tile.features = minimum(chunk, task.in - c);
    tile.slice = task.slice;
    tile.columns = columns;
    tile.first = c == 0;
    tile.last = c + tile.features == task.in;
    product_chunk<V>(tile, task.rows);
  }
}

template <int V>
static void narrow_panel(const ProductTask& task, std::int64_t first, std::int64_t columns) {
  if constexpr (V > 1) {
    if (columns <= (V - 1) * W) return narrow_panel<V - 1>(task, first, columns);
  }
  product_panel<V>(task, first, columns);
}

// The activation follows a panel and not a tile: in the functions above a call cost AVX-512 products without one 0.8 %.
static void multiply(const ProductTask& task) noexcept {
  for (std::int64_t first = 0; first < task.out; first += query_block) {
    const std::int64_t columns = minimum(query_block, task.out - first);
    narrow_panel<max_batches>(task, first, columns);
    activate({task.y + first, task.rows, columns, task.y_stride, task.activation});
  }
}

// Rows of W become the columns of one panel.
static void pack(const float* const* rows, std::int64_t in, float* panel) noexcept {
  for (int first = 0; first < query_block; first += W) {
    const float* row[W];
    for (int i = 0; i < W; ++i) row[i] = rows[first + i];
    transpose_rows(row, in, Batch(1.0F), panel + first, query_block);
  }
}
