// What goes into and comes out of an attention kernel: plain structs and raw pointers, so that a kernel file compiled
// for one ISA shares no inline code with the rest of the library.
#pragma once

#include <cstddef>
#include <cstdint>

namespace headwise::kernels {

// How one mask tensor is read. Strides count elements; a stride of 0 shares one element along an axis.
enum class MaskKind : std::uint8_t { keep, drop, additive };  // bytes: nonzero is live, nonzero is dead; f32: added
struct MaskPlane {
  const void* data;
  std::int64_t query_stride, key_stride;
  MaskKind kind;
};

// The one internal form of every mask, for one sequence and head: a key is live for a query when it lies below key_end,
// when key ≤ query + causal_offset, and when no plane kills it. A live key has a finite (or NaN) additive bias.
struct MaskForm {
  static constexpr std::int64_t not_causal = INT64_MAX / 4;  // an offset that no key index reaches
  static constexpr int max_planes = 2;
  std::int64_t key_end;
  std::int64_t causal_offset;
  MaskPlane planes[max_planes];
  int num_planes;
};

enum class EmptyRow : std::uint8_t { zero, mean, nan };  // see headwise::RowsWithoutKeys

struct ConstRows {
  const float* data;
  std::int64_t stride;  // elements from one row to the next; the elements of a row are adjacent
};
struct Rows {
  float* data;
  std::int64_t stride;
};

struct HeadShape {
  std::int64_t num_keys, head_dim, value_dim;
};

// One unit of work: up to KernelTable::query_block rows of one head of one sequence.
struct AttendTask {
  ConstRows query;       // num_queries × head_dim, starting at row first_query of the sequence
  ConstRows key, value;  // num_keys × head_dim, num_keys × value_dim
  Rows output;           // num_queries × value_dim
  Rows weights;          // num_queries × num_keys; data == nullptr: not asked for
  HeadShape shape;
  std::int64_t first_query, num_queries;
  float scale;
  EmptyRow empty_row;
  MaskForm mask;
  void* scratch;  // scratch_bytes(shape), 64-byte aligned, of the calling thread alone
};

struct KernelTable {
  const char* isa;
  const char* features;  // of the CPU that the file was compiled for, separated by blanks, as GCC's -m flags name them
  int query_block;
  std::size_t (*scratch_bytes)(const HeadShape& shape) noexcept;
  // softmax(scale·q·kᵀ + mask)·v for one task. Reads no key or value that is dead for all its queries, and lets no dead
  // one reach an output (the policy `mean` alone averages dead values). Errors against exact arithmetic stay below
  // 8·eps·Σp|v| an element while scale·Σ|q·k| stays moderate (a few units): beyond, the rounding of the score itself
  // counts. A row's bits depend on its query and on the keys that are live for any query of its task, not on dead keys
  // before, between or after those, on how many tasks there are or on whether weights are wanted.
  void (*attend)(const AttendTask& task) noexcept;
  // eˣ of n numbers, ≤ 2 ULP for x in [−87.33, 0], exactly 0 below, NaN for NaN. The function inside attend, for tests.
  void (*exp)(const float* x, float* y, std::int64_t n) noexcept;
  // Runs fused multiply-adds as fast as the core can and returns how many floating-point operations those were; sink
  // takes 16 floats. nullptr for the reference.
  double (*fma_burst)(std::int64_t iterations, float* sink) noexcept;
};

// The bias of one key for one query, −inf when dead: the definition that the fast kernels must agree with.
float mask_bias(const MaskForm& mask, std::int64_t query, std::int64_t key) noexcept;

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
