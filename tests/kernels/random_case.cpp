#include "random_case.hpp"

#include <algorithm>

#include "key_memory.hpp"

using namespace headwise::kernels;

namespace {

HeadCase random_shape(Random& random) {
  HeadCase c(1 + random.below(90), 1 + random.below(random.chance(0.2) ? 600 : 60), 1 + random.below(40),
             1 + random.below(40));
  c.score.scale = 1 / std::sqrt(float(c.head_dim));
  c.padding = random.below(3) * 5;
  c.at_end = random.chance(0.5);
  if (random.chance(0.5)) c.extra = random.below(3);
  if (random.chance(0.3)) c.split = random.below(c.keys + 1);
  const std::int64_t element = random.below(6);
  if (element < 2) c.element = element == 0 ? Element::f16 : Element::bf16;
  return c;
}

}  // namespace

MaskPlane RandomHead::make_documents(Random& random, const HeadCase& c, int number) {
  const std::int64_t documents = 1 + random.below(4);
  auto& memory = ids[number];
  for (std::int64_t j = 0; j < c.keys + c.queries; ++j) memory.push_back(random.below(documents));
  std::sort(memory.begin(), memory.begin() + c.keys);
  for (const std::int64_t id : memory) short_ids[number].push_back(std::int32_t(id));
  const bool wide = random.chance(0.5);
  MaskPlane plane{};
  plane.data = wide ? static_cast<const void*>(memory.data()) : short_ids[number].data();
  plane.query_ids = wide ? static_cast<const void*>(memory.data() + c.keys) : short_ids[number].data() + c.keys;
  plane.query_stride = random.chance(0.3) ? 0 : 1;
  plane.key_stride = 1;
  plane.kind = MaskKind::documents;
  plane.element = wide ? Element::i64 : Element::i32;
  return plane;
}

MaskPlane RandomHead::make_biases(Random& random, const HeadCase& c, int number, double live) {
  const std::int64_t count = c.queries * c.keys;
  for (std::int64_t i = 0; i < count; ++i)
    floats[number].push_back(random.chance(live) ? random.uniform(-2, 2) : -INFINITY);
  MaskPlane plane = float_plane(floats[number].data(), c.keys, 1);
  const std::int64_t kind = random.below(3);
  if (kind == 0) return plane;
  for (const float x : floats[number]) halves[number].push_back(kind == 1 ? to_half(x) : to_bfloat(x));
  plane.data = halves[number].data();
  plane.element = kind == 1 ? Element::f16 : Element::bf16;
  return plane;
}

// A plane over [queries, keys], or one row or column of it for all. Runs of equal bytes make chunks of one class.
MaskPlane RandomHead::make_plane(Random& random, const HeadCase& c, int number) {
  const double live = random.chance(0.3) ? 0.1 : 0.8;
  const std::int64_t kind = random.below(4);
  if (kind == 3) return make_documents(random, c, number);
  const std::int64_t query_stride = random.chance(0.4) ? 0 : c.keys;
  if (kind == 2) {
    MaskPlane plane = make_biases(random, c, number, live);
    plane.query_stride = query_stride;
    return plane;
  }
  const std::int64_t run = random.chance(0.5) ? 1 : 70;
  while (std::int64_t(bytes[number].size()) < c.queries * c.keys + run) {
    const auto byte = random.chance(live) == (kind == 0) ? std::uint8_t(1 + random.below(255)) : std::uint8_t(0);
    bytes[number].insert(bytes[number].end(), std::size_t(run), byte);
  }
  return byte_plane(bytes[number].data(), query_stride, random.chance(0.1) ? 0 : 1,
                    kind == 0 ? MaskKind::keep : MaskKind::drop);
}

void RandomHead::add_masks(Random& random, HeadCase& c) {
  c.mask.num_planes = int(random.below(4));
  for (int p = 0; p < c.mask.num_planes; ++p) c.mask.planes[p] = make_plane(random, c, p);
  if (random.chance(0.4)) c.mask.last_offset = random.below(2 * c.keys) - c.keys;
  if (random.chance(0.4)) {
    const std::int64_t last = std::min(c.mask.last_offset, c.keys);
    c.mask.first_offset = last - random.below(random.chance(0.5) ? 10 : 2 * c.keys);
  }
  if (random.chance(0.3)) c.mask.key_end = random.below(c.keys + 1);
  c.scanned = random.chance(0.5);
}

void RandomHead::add_modifiers(Random& random, HeadCase& c) {
  if (random.chance(0.4)) c.score.softcap = random.uniform(0.5F, 5);
  if (random.chance(0.3)) c.score.alibi_slope = random.uniform(0, 0.02F);
  c.score.query_offset = random.below(200) - 100;
  if (random.chance(0.3)) {
    const std::int64_t reach = random.below(2) == 0 ? random.below(4) : random.below(700);
    c.score.max_distance = reach;
    const std::int64_t half = reach + relative_margin;
    relative.resize(std::size_t(2 * half + 1));
    for (std::int64_t i = -half; i <= half; ++i) {
      relative[std::size_t(half + i)] =
          std::abs(i) > reach ? relative[std::size_t(half + (i < 0 ? -half : reach))] : random.uniform(-2, 2);
      if (i == -half) relative[0] = random.uniform(-2, 2);
      if (i == -reach) relative[std::size_t(half + i)] = relative[0];
    }
    c.score.relative = relative.data() + half;
  }
  if (random.chance(0.3)) {
    c.score.has_sink = true;
    c.score.sink = random.chance(0.2) ? -INFINITY : random.uniform(-3, 3);
  }
  if (random.chance(0.3)) c.gate = random.uniform(0.2F, 2);
}

// NaN and infinity in every key and value that no query sees.
void RandomHead::poison() {
  const HeadCase& c = data->shape;
  for (std::int64_t j = 0; j < c.keys; ++j) {
    bool live = false;
    for (std::int64_t i = 0; i < c.queries; ++i) live = live || !std::isinf(mask_bias(c.mask, i, j));
    if (live) continue;
    for (std::int64_t x = 0; x < c.head_dim; ++x) data->k(j, x) = std::nanf("");
    for (std::int64_t x = 0; x < c.value_dim; ++x) data->v(j, x) = x % 2 == 0 ? INFINITY : std::nanf("");
  }
}

RandomHead::RandomHead(Random& random) {
  HeadCase c = random_shape(random);
  add_masks(random, c);
  add_modifiers(random, c);
  data = std::make_unique<HeadData>(c);
  data->fill(random, 1);
  poison();
}
