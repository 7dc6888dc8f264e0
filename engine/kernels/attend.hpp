// What goes into and comes out of an attention kernel: plain structs and raw pointers, so that a kernel file compiled
// for one ISA shares no inline code with the rest of the library.
#pragma once

#include <cstddef>
#include <cstdint>

#include "activate.hpp"
#include "norm.hpp"
#include "product.hpp"
#include "ticks.hpp"

namespace headwise::kernels {

enum class Element : std::uint8_t { f32, f16, bf16, f64, i32, i64 };

// Bytes: nonzero is live, nonzero is dead. Floats: added, −inf is dead. Ids: dead unless the key's equals the query's.
enum class MaskKind : std::uint8_t { keep, drop, additive, documents };

// What a scan found for one chunk of keys and one block of queries: all dead, all live without a bias, anything else.
enum class ChunkClass : std::uint8_t { dead, plain, mixed };
constexpr std::int64_t scan_chunk = 32;  // keys

// How one mask tensor is read, for one sequence and head. Strides count elements; 0 shares one element along an axis.
struct MaskPlane {
  const void* data;  // documents: the ids of the keys, without a query axis
  std::int64_t query_stride, key_stride;
  MaskKind kind;
  Element element;            // additive: f32, f16, bf16, f64; documents: i32, i64
  const void* query_ids;      // documents: id of query i at i · query_stride
  const ChunkClass* classes;  // of the task's queries, ⌈num_keys / scan_chunk⌉; nullptr: not scanned
};

// The one internal form of every mask, for one sequence and head: a key is live for a query when it lies below key_end,
// when query + first_offset ≤ key ≤ query + last_offset, and when no plane kills it.
struct MaskForm {
  static constexpr std::int64_t open = INT64_MAX / 4;  // last_offset of a side without a bound; −open for first_offset
  static constexpr int max_planes = 3;
  std::int64_t key_end;
  std::int64_t first_offset = -open, last_offset = open;
  MaskPlane planes[max_planes];
  int num_planes;
};

// What happens to a score between the product and the mask, for one head.
struct ScoreForm {
  double scale;               // the SIMD kernels round it to f32
  float softcap;              // c · tanh(s / c); 0: none
  float alibi_slope;          // −slope · |distance|; 0: none
  const float* relative;      // bias at clamp(distance) with distance = query position − key position; nullptr: none
  std::int64_t max_distance;  // relative has max_distance + relative_margin numbers on either side of [0]; all at and
                              // past max_distance are equal
  std::int64_t query_offset;  // position of query i is i + query_offset, that of key j is j
  float sink;                 // a logit that takes probability but has no value
  bool has_sink;
};
constexpr std::int64_t relative_margin = 64;  // ≥ query_block of every table

enum class EmptyRow : std::uint8_t { zero, mean, nan };  // see headwise::RowsWithoutKeys

// Rows of a matrix; the elements of a row are adjacent, the stride counts elements. f32 unless the task is f64.
struct ConstRows {
  const float* data;
  std::int64_t stride;
};
struct Rows {
  float* data;
  std::int64_t stride;
};

// Rows of keys or values in two pieces, since a circular cache wraps: row j < split lies at data, the others start at
// rest.
struct KeyRows {
  const void* data;
  std::int64_t stride;
  Element element = Element::f32;  // f32, f16, bf16; f64 when the task is
  const void* rest = nullptr;
  std::int64_t split = INT64_MAX;  // INT64_MAX: one piece
};

// Keys that come after all others and are live for every query without any bias: bias_k / bias_v, zeros. f32 (or f64).
struct ExtraKeys {
  const float* keys;
  const float* values;
  std::int64_t key_stride, value_stride;
  std::int64_t count;
};
constexpr std::int64_t max_extra_keys = 2;

struct HeadShape {
  std::int64_t num_keys;  // without the extra ones
  std::int64_t head_dim, value_dim;
  bool converted = false;  // keys and values are not f32
};

// One unit of work: up to KernelTable::query_block rows of one head of one sequence.
struct AttendTask {
  ConstRows query;     // num_queries × head_dim, starting at row first_query of the sequence
  KeyRows key, value;  // num_keys × head_dim, num_keys × value_dim
  ExtraKeys extra;
  Rows output;          // num_queries × value_dim
  Rows weights;         // num_queries × (num_keys + extra.count); data == nullptr: not asked for
  double* log_sum_exp;  // num_queries; nullptr: not asked for
  HeadShape shape;
  std::int64_t first_query, num_queries;
  ScoreForm score;
  MaskForm mask;
  EmptyRow empty_row;
  float gate = 1;                // multiplies the output, not the weights
  Element element;               // f64: every float pointer of the task points to doubles (reference table only)
  void* scratch;                 // scratch_bytes(shape), 64-byte aligned, of the calling thread alone
  AttendTimes* times = nullptr;  // attend and attend_slice book their parts there, the reference does not
};

// A slice of the keys for few queries: slice_keys live keys, counted from the first live one. What attend_slice leaves:
// num_queries × value_dim unnormalised context, num_queries maxima, num_queries sums (relative to the maxima; NaN
// maximum never, −inf: no live key), all f32 (f64 when the task is).
constexpr std::int64_t slice_keys = 480;
struct Slice {
  float* state;  // slice_floats(num_queries, value_dim)
  std::int64_t
      key_end;  // set by attend_slice: the first key that it did not look at; num_keys + extra.count at the end
};
constexpr std::int64_t slice_floats(std::int64_t num_queries, std::int64_t value_dim) {
  return num_queries * (value_dim + 3);
}

enum class ScoreStage : std::uint8_t { scaled, capped, masked };  // see headwise::ScoreStage

// One row of tokens for all heads: normalised when there is a norm, then turned when there is a cos.
struct PositionTask {
  float* row;
  std::int64_t heads, head_stride, head_dim;
  const float* norm;  // [head_dim]; nullptr: none
  float epsilon;
  const float* cos;  // [rotary_dim / 2]; nullptr: none
  const float* sin;
  std::int64_t rotary_dim;
  bool interleaved;
  Element element;  // f32, f64
};

struct KernelTable {
  const char* isa;
  const char* features;  // of the CPU that the file was compiled for, separated by blanks, as GCC's -m flags name them
  int query_block;
  int few_queries;  // up to this many queries attend_slice is faster than attend; 0: it is never wanted
  std::size_t (*scratch_bytes)(const HeadShape& shape) noexcept;
  // softmax(mask(bias(cap(scale·q·kᵀ))))·v for one task. Reads no key or value that is dead for all its queries, and
  // lets no dead one reach an output (the policy `mean` alone averages dead values). Errors against exact arithmetic
  // stay below 8·eps·Σp|v| an element while scale·Σ|q·k| stays moderate (a few units): beyond, the rounding of the
  // score itself counts. A row's bits depend on its query and on the keys that are live for any query of its task, not
  // on dead keys before, between or after those, on how many tasks there are or on what else is asked for.
  void (*attend)(const AttendTask& task) noexcept;
  // The same for up to few_queries queries in slices: attend_slice for one slice from key `first` on, and merge over
  // all slices of the task in key order, which writes what attend writes. attend_slice leaves weights relative to the
  // slice's own maximum in its part of the rows, merge brings them to the common one. A slice may start at any key from
  // which on the live keys before it are a multiple of slice_keys; the first starts at 0. With dead keys at the end the
  // last one may be without a live key, so there are up to (num_keys + extra.count) / slice_keys + 1.
  void (*attend_slice)(const AttendTask& task, std::int64_t first, Slice& slice) noexcept;
  void (*merge)(const AttendTask& task, const Slice* slices, std::int64_t count) noexcept;
  // Scores at a stage into task.weights. The stages before the mask are computed for dead keys too; masked leaves −inf
  // there and reads none of them.
  void (*score)(const AttendTask& task, ScoreStage stage) noexcept;
  // Classes of ⌈num_keys / scan_chunk⌉ chunks for the given queries.
  void (*scan)(const MaskPlane& plane, const AttendTask& task, ChunkClass* classes) noexcept;
  void (*position)(const PositionTask& task) noexcept;
  // y = x·Wᵀ + b with W in panels of `panel` columns, and the packing of one panel from as many rows of `in` numbers;
  // nullptr where oneDNN multiplies.
  int panel;
  void (*pack)(const float* const* rows, std::int64_t in, float* panel) noexcept;
  void (*multiply)(const ProductTask& task) noexcept;
  // A row's bits depend on neither how many rows a task has nor what lies past them; NaN and infinities stay in theirs.
  void (*layer_norm)(const NormTask& task) noexcept;
  // GELU ≤ 8 ULP, SiLU ≤ 5, their tanh form ≤ 6 for positive numbers and 1e-7 of |x| for others; results below 1e-36
  // may be 0. A number's bits do not depend on its place.
  void (*activate)(const ActivateTask& task) noexcept;
  // eˣ of n numbers, ≤ 2 ULP for x in [−87.33, 0], below the smallest normal number past that, NaN for NaN. The
  // function inside attend, for tests.
  void (*exp)(const float* x, float* y, std::int64_t n) noexcept;
  // tanh of n numbers, ≤ 3 ULP, the function inside the soft-cap.
  void (*tanh)(const float* x, float* y, std::int64_t n) noexcept;
  // Runs fused multiply-adds as fast as the core can and returns how many floating-point operations those were; sink
  // takes 16 floats. nullptr for the reference.
  double (*fma_burst)(std::int64_t iterations, float* sink) noexcept;
  // Reads `bytes` (a multiple of 1024) at data (64-byte aligned) `passes` times, as fast as the core can load, and
  // returns how many bytes those were; sink takes 16 floats. nullptr for the reference.
  double (*read_burst)(const float* data, std::int64_t bytes, std::int64_t passes, float* sink) noexcept;
};

// The bias that masks (not scores) give one key for one query, −inf when dead: what the fast kernels must agree with.
double mask_bias(const MaskForm& mask, std::int64_t query, std::int64_t key) noexcept;

// Tables compiled into this build, fastest first, the reference last.
struct KernelList {
  const KernelTable* const* tables;
  int count;
};
KernelList compiled_kernels() noexcept;
bool cpu_supports(const KernelTable& table) noexcept;  // every feature of the table, and the OS saves its registers
const KernelTable* find_kernels(const char* isa) noexcept;  // nullptr when not compiled
const KernelTable& best_kernels() noexcept;

}  // namespace headwise::kernels
