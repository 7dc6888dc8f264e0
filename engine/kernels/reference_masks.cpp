// Masks and positions of the reference kernel.
#include <cstdint>

#include "reference.hpp"
#include "tables.hpp"

namespace headwise::kernels {

namespace {

std::int64_t id_at(const void* ids, Element element, std::int64_t at) noexcept {
  if (element == Element::i32) return static_cast<const std::int32_t*>(ids)[at];
  return static_cast<const std::int64_t*>(ids)[at];
}

double plane_bias(const MaskPlane& plane, std::int64_t query, std::int64_t key) noexcept {
  const std::int64_t at = query * plane.query_stride + key * plane.key_stride;
  if (plane.kind == MaskKind::additive) return number_at(plane.data, plane.element, at);
  if (plane.kind == MaskKind::documents) {
    const std::int64_t own = id_at(plane.query_ids, plane.element, query * plane.query_stride);
    return id_at(plane.data, plane.element, key * plane.key_stride) == own ? 0 : negative_infinity;
  }
  const bool set = static_cast<const std::uint8_t*>(plane.data)[at] != 0;
  return set == (plane.kind == MaskKind::keep) ? 0 : negative_infinity;
}

ChunkClass scan_chunk_from(const MaskPlane& plane, const AttendTask& task, std::int64_t first) noexcept {
  bool dead = true;
  bool plain = true;
  for (std::int64_t i = 0; i < task.num_queries; ++i) {
    for (std::int64_t j = first; j < first + scan_chunk && j < task.shape.num_keys; ++j) {
      const double bias = plane_bias(plane, task.first_query + i, j);
      dead = dead && bias == negative_infinity;
      plain = plain && bias == 0;
    }
  }
  return dead ? ChunkClass::dead : plain ? ChunkClass::plain : ChunkClass::mixed;
}

// A row of tokens, f32 or f64.
template <class Number>
struct Tokens {
  const PositionTask& task;
  Number* head;

  double at(const float* data, std::int64_t i) const noexcept {
    return double(reinterpret_cast<const Number*>(data)[i]);
  }
  void normalise() const noexcept {
    double squares = 0;
    for (std::int64_t c = 0; c < task.head_dim; ++c) squares += double(head[c]) * double(head[c]);
    const double factor = 1 / std::sqrt(squares / double(task.head_dim) + double(task.epsilon));
    for (std::int64_t c = 0; c < task.head_dim; ++c) head[c] = Number(double(head[c]) * factor * at(task.norm, c));
  }
  void turn() const noexcept {
    const std::int64_t pairs = task.rotary_dim / 2;
    for (std::int64_t i = 0; i < pairs; ++i) {
      Number& x = head[task.interleaved ? 2 * i : i];
      Number& y = head[task.interleaved ? 2 * i + 1 : i + pairs];
      const double a = double(x);
      const double b = double(y);
      x = Number(a * at(task.cos, i) - b * at(task.sin, i));
      y = Number(b * at(task.cos, i) + a * at(task.sin, i));
    }
  }
};

template <class Number>
void position_heads(const PositionTask& task) noexcept {
  for (std::int64_t h = 0; h < task.heads; ++h) {
    const Tokens<Number> tokens{task, reinterpret_cast<Number*>(task.row) + h * task.head_stride};
    if (task.norm != nullptr) tokens.normalise();
    if (task.cos != nullptr) tokens.turn();
  }
}

}  // namespace

double mask_bias(const MaskForm& mask, std::int64_t query, std::int64_t key) noexcept {
  if (key >= mask.key_end || key < query + mask.first_offset || key > query + mask.last_offset)
    return negative_infinity;
  double bias = 0;
  for (int p = 0; p < mask.num_planes; ++p) {
    const double more = plane_bias(mask.planes[p], query, key);
    if (more == negative_infinity || bias == negative_infinity) return negative_infinity;  // dead wins over NaN
    bias += more;
  }
  return bias;
}

void reference_scan(const MaskPlane& plane, const AttendTask& task, ChunkClass* classes) noexcept {
  for (std::int64_t first = 0; first < task.shape.num_keys; first += scan_chunk) {
    *classes++ = scan_chunk_from(plane, task, first);
  }
}

void reference_position(const PositionTask& task) noexcept {
  if (task.element == Element::f64) return position_heads<double>(task);
  position_heads<float>(task);
}

}  // namespace headwise::kernels
