// What gives a token's heads their position: RMS norm per head (Zhang and Sennrich 2019), then the rotary turn (Su et
// al. 2021). Plain loops that the compiler makes vectors of.

static void normalise_head(float* x, const float* weight, std::int64_t width, float epsilon) {
  float squares[W] = {};
  std::int64_t c = 0;
  for (; c + W <= width; c += W) {
    for (int i = 0; i < W; ++i) squares[i] += x[c + i] * x[c + i];
  }
  for (; c < width; ++c) squares[c % W] += x[c] * x[c];
  float sum = 0;
  for (const float square : squares) sum += square;
  const float factor = 1 / __builtin_sqrtf(sum / float(width) + epsilon);
  for (c = 0; c < width; ++c) x[c] = x[c] * factor * weight[c];
}

static void turn_halves(float* __restrict x, const float* cos, const float* sin, std::int64_t pairs) {
  float* __restrict y = x + pairs;
  for (std::int64_t i = 0; i < pairs; ++i) {
    const float a = x[i];
    const float b = y[i];
    x[i] = a * cos[i] - b * sin[i];
    y[i] = b * cos[i] + a * sin[i];
  }
}

static void turn_neighbours(float* x, const float* __restrict cos, const float* __restrict sin, std::int64_t pairs) {
  for (std::int64_t i = 0; i < pairs; ++i) {
    const float a = x[2 * i];
    const float b = x[2 * i + 1];
    x[2 * i] = a * cos[i] - b * sin[i];
    x[2 * i + 1] = b * cos[i] + a * sin[i];
  }
}

static void position(const PositionTask& task) noexcept {
  for (std::int64_t h = 0; h < task.heads; ++h) {
    float* head = task.row + h * task.head_stride;
    if (task.norm != nullptr) normalise_head(head, task.norm, task.head_dim, task.epsilon);
    if (task.cos == nullptr) continue;
    if (task.interleaved) {
      turn_neighbours(head, task.cos, task.sin, task.rotary_dim / 2);
    } else {
      turn_halves(head, task.cos, task.sin, task.rotary_dim / 2);
    }
  }
}
