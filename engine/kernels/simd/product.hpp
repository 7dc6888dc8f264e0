// Rows times a packed matrix, y = x·Wᵀ + b. A panel of W has as many columns as a block of queries has lanes, so the
// tile is the one that scores keys: scalars of x are broadcast, the panel's rows are read as they lie.

// The panel that follows is brought near the core while this one is used: each tile asks for a share of its lines.
struct Ahead {
  const float* data;
  std::int64_t floats;  // of a tile's share
};

struct ProductTile {
  const float* x;
  float* y;
  const float* panel;
  const float* bias;
  std::int64_t x_stride, y_stride;
  std::int64_t features, columns;  // of the slice; of the panel
  bool first, last;                // slice
};

// Sums the slice's features in one chain.
template <int R, int V>
static HEADWISE_INLINE void sum_slice(const ProductTile& tile, Batch (&sum)[R][V]) {
  const float* x[R];
  for (int r = 0; r < R; ++r) x[r] = tile.x + r * tile.x_stride;
  clear(sum);
  HEADWISE_UNROLL_FEW
  for (std::int64_t c = 0; c < tile.features; ++c) {
    Batch lanes[V];
    load_lanes<V>(tile.panel + c * query_block, lanes);
    HEADWISE_UNROLL
    for (int r = 0; r < R; ++r) multiply_add(sum, Batch(x[r][c]), lanes, r);
  }
}

// y[r] = what the slices before left there + sum[r] + bias.
template <int R, int V>
static HEADWISE_INLINE void put_sums(const ProductTile& tile, const Batch (&sum)[R][V], float* y, std::int64_t stride) {
  HEADWISE_UNROLL
  for (int r = 0; r < R; ++r) {
    HEADWISE_UNROLL
    for (int v = 0; v < V; ++v) {
      float* at = y + r * stride + v * W;
      Batch value = sum[r][v];
      if (!tile.first) value = Batch::load_unaligned(at) + value;
      if (tile.last && tile.bias != nullptr) value = value + Batch::load_aligned(tile.bias + v * W);
      value.store_unaligned(at);
    }
  }
}

// Where the panel ends inside a batch, its rows take the way through a copy. Inline, because the sums are in registers
// only where their address goes nowhere (3 % of calls of many rows).
template <int R, int V>
static HEADWISE_INLINE void put_part(const ProductTile& tile, const Batch (&sum)[R][V]) {
  alignas(64) float copy[R * V * W];
  const std::size_t bytes = sizeof(float) * std::size_t(tile.columns);
  for (int r = 0; r < R; ++r) __builtin_memcpy(copy + r * V * W, tile.y + r * tile.y_stride, bytes);
  put_sums(tile, sum, copy, V * W);
  for (int r = 0; r < R; ++r) __builtin_memcpy(tile.y + r * tile.y_stride, copy + r * V * W, bytes);
}

template <int R, int V>
static void product_tile(const ProductTile& tile) {
  Batch sum[R][V];
  sum_slice(tile, sum);
  tile.columns == V* W ? put_sums(tile, sum, tile.y, tile.y_stride) : put_part(tile, sum);
}

template <int R, int V>
static void product_rows(const ProductTile& tile, std::int64_t rows) {
  if (rows == R) return product_tile<R, V>(tile);
  if constexpr (R > 1) product_rows<R - 1, V>(tile, rows);
}

// To L1 (3) or L2 (2).
template <int Locality>
static HEADWISE_INLINE void prefetch(const float* from, std::int64_t floats) {
  constexpr int line = 64 / sizeof(float);
  for (std::int64_t c = 0; c < floats; c += line) __builtin_prefetch(from + c, 0, Locality);
}

// All rows of one slice of one panel, in tiles of about equal height.
template <int V>
static void product_slice(ProductTile tile, std::int64_t rows, const Ahead& ahead) {
  const std::int64_t tiles = (rows + tile_rows - 1) / tile_rows;
  for (std::int64_t t = 0; t < tiles; ++t) {
    const std::int64_t first = rows * t / tiles;
    const std::int64_t count = rows * (t + 1) / tiles - first;
    prefetch<2>(ahead.data + t * ahead.floats, ahead.floats);
    ProductTile at = tile;
    at.x += first * tile.x_stride;
    at.y += first * tile.y_stride;
    product_rows<tile_rows, V>(at, count);
  }
}

// With up to so many tiles a share of the lines ahead is so large that, asked for at once, it fills the core's buffers
// for misses and the tile waits for them. There it is asked for feature by feature, and to L1, although two slices are
// more than L1 holds: an encoder's call of 16 tokens, whose weights come from memory, takes 0.88 of the time, and 0.77
// of it with L1. The tiles above stay as they are, since one more operand in them costs calls of many rows 3 %.
constexpr std::int64_t spread_tiles = 4;

struct SpreadTile {
  ProductTile tile;
  const float* ahead;
  std::int64_t step;  // floats for a feature
};

template <int R, int V>
static void spread_tile(const SpreadTile& spread) {
  const ProductTile& tile = spread.tile;
  Batch sum[R][V];
  const float* x[R];
  for (int r = 0; r < R; ++r) x[r] = tile.x + r * tile.x_stride;
  clear(sum);
  for (std::int64_t c = 0; c < tile.features; ++c) {
    Batch lanes[V];
    load_lanes<V>(tile.panel + c * query_block, lanes);
    prefetch<3>(spread.ahead + c * spread.step, spread.step);
    HEADWISE_UNROLL
    for (int r = 0; r < R; ++r) multiply_add(sum, Batch(x[r][c]), lanes, r);
  }
  tile.columns == V* W ? put_sums(tile, sum, tile.y, tile.y_stride) : put_part(tile, sum);
}

template <int R, int V>
static void spread_rows(const SpreadTile& spread, std::int64_t rows) {
  if (rows == R) return spread_tile<R, V>(spread);
  if constexpr (R > 1) spread_rows<R - 1, V>(spread, rows);
}

template <int V>
static void spread_slice(const ProductTile& tile, std::int64_t rows, const Ahead& ahead) {
  const std::int64_t tiles = (rows + tile_rows - 1) / tile_rows;
  for (std::int64_t t = 0; t < tiles; ++t) {
    const std::int64_t first = rows * t / tiles;
    SpreadTile at{tile, ahead.data + t * ahead.floats, ahead.floats / tile.features};
    at.tile.x += first * tile.x_stride;
    at.tile.y += first * tile.y_stride;
    spread_rows<tile_rows, V>(at, rows * (t + 1) / tiles - first);
  }
}

template <int V>
static void product_panel(const ProductTask& task, std::int64_t first, std::int64_t columns) {
  const std::int64_t tiles = (task.rows + tile_rows - 1) / tile_rows;
  for (std::int64_t c = 0; c < task.in; c += task.slice) {
    const std::int64_t features = minimum(task.slice, task.in - c);
    ProductTile tile;
    tile.x = task.x + c;
    tile.y = task.y + first;
    tile.panel = task.panels + first * task.in + c * query_block;
    tile.bias = task.bias == nullptr ? nullptr : task.bias + first;
    tile.x_stride = task.x_stride;
    tile.y_stride = task.y_stride;
    tile.features = features;
    tile.columns = columns;
    tile.first = c == 0;
    tile.last = c + features == task.in;
    const std::int64_t share = tile.last && first + columns == task.out ? 0 : features * query_block / tiles;
    const Ahead ahead{tile.panel + features * query_block, share};
    tiles <= spread_tiles ? spread_slice<V>(tile, task.rows, ahead) : product_slice<V>(tile, task.rows, ahead);
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
