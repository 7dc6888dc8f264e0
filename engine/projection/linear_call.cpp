#include <cstring>
#include <new>

#include "packed.hpp"
#include "panels.hpp"

namespace headwise::projection {

using dnnl::memory;
using kernels::Activation;

struct LinearCall::Handles {
  const Linear::Packed* linear;
  dnnl::stream stream;
  memory scratchpad;
  std::vector<memory> weights;               // one a slice
  std::vector<std::vector<memory>> sources;  // a kind, a row class; data pointers are set for every call
  std::vector<memory> destinations;          // a row class
  bool out_of_memory = false;

  bool multiply(std::size_t row_class, std::int64_t slice, const float* x, float* y) noexcept;
  const float* slice_rows(std::int64_t slice, const float* x, std::int64_t rows, float* copy) const noexcept;
  void add_bias(float* y, std::int64_t rows) const noexcept;
  bool run_class(std::size_t row_class, const float* x, std::int64_t rows, float* y, float* copy) noexcept;
  bool run_padded(std::size_t row_class, const float* x, std::int64_t rows, float* y, float* copy) noexcept;
  bool run(RowBlock rows, void* scratch) noexcept;
};

namespace {

memory view(const memory::desc& desc, const void* data) {
  return memory(desc, cpu_engine(), const_cast<void*>(data));
}

bool point(memory& to, const void* data) {
  return dnnl_memory_set_data_handle(to.get(), const_cast<void*>(data)) == dnnl_success;
}

}  // namespace

LinearCall::LinearCall(const Linear& linear) : linear_(&linear) {
  if (linear.panels_) return;
  handles_ = std::make_unique<Handles>();
  Handles& h = *handles_;
  const Linear::Packed& packed = *linear.packed_;
  h.linear = &packed;
  h.stream = dnnl::stream(cpu_engine());
  const auto size = static_cast<std::int64_t>(packed.scratchpad_bytes);
  h.scratchpad = view({{size}, memory::data_type::u8, memory::format_tag::a}, DNNL_MEMORY_NONE);
  for (std::int64_t slice = 0; slice < packed.slices.count; ++slice) {
    const auto at = static_cast<std::size_t>(slice);
    h.weights.push_back(view(packed.kinds[packed.kind_of[at]].weights_desc, packed.weights[at].view().data));
  }
  for (const SliceKind& kind : packed.kinds) {
    auto& sources = h.sources.emplace_back();
    for (const std::int64_t rows : packed.classes)
      sources.push_back(view(dense_matrix(rows, kind.width), DNNL_MEMORY_NONE));
  }
  for (const std::int64_t rows : packed.classes) {
    h.destinations.push_back(view(dense_matrix(rows, packed.shape.row_stride), DNNL_MEMORY_NONE));
  }
}

LinearCall::LinearCall(LinearCall&&) noexcept = default;
LinearCall::~LinearCall() = default;

// The C interface: no argument map is built on the heap by headwise. oneDNN builds one of its own, and 2.6.3 lets
// std::bad_alloc out of its C functions, which must not leave a parallel region.
bool LinearCall::Handles::multiply(std::size_t row_class, std::int64_t slice, const float* x, float* y) noexcept try {
  const std::size_t kind = linear->kind_of[static_cast<std::size_t>(slice)];
  memory& source = sources[kind][row_class];
  memory& destination = destinations[row_class];
  const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_SRC, source.get()},
                                       {DNNL_ARG_WEIGHTS, weights[static_cast<std::size_t>(slice)].get()},
                                       {DNNL_ARG_DST, destination.get()},
                                       {DNNL_ARG_SCRATCHPAD, scratchpad.get()}};
  const dnnl::matmul& primitive = linear->kinds[kind].primitives[row_class];
  if (!point(source, x) || !point(destination, y)) return false;
  const dnnl_status_t status = dnnl_primitive_execute(primitive.get(), stream.get(), 4, arguments);
  out_of_memory = status == dnnl_out_of_memory;
  return status == dnnl_success;
} catch (const std::bad_alloc&) {
  out_of_memory = true;
  return false;
}

// A slice of the rows as dense memory, since oneDNN 2.6 leaves its fast path for a source with a stride of its own.
const float* LinearCall::Handles::slice_rows(std::int64_t slice, const float* x, std::int64_t rows,
                                             float* copy) const noexcept {
  if (!linear->copies_input()) return x;
  const std::int64_t width = linear->slice_width(slice);
  const float* from = x + linear->slice_start(slice);
  for (std::int64_t r = 0; r < rows; ++r) {
    std::memcpy(copy + r * width, from + r * linear->shape.in, sizeof(float) * static_cast<std::size_t>(width));
  }
  return copy;
}

// Last, so that a large bias rounds the result once and not every partial sum.
void LinearCall::Handles::add_bias(float* y, std::int64_t rows) const noexcept {
  if (!linear->bias.given()) return;
  const std::int64_t width = linear->shape.row_stride;
  const float* bias = static_cast<const float*>(linear->bias.view().data);
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t o = 0; o < width; ++o) y[r * width + o] += bias[o];
  }
}

// `rows` may be fewer than the class has where the input is copied; the rest of the copy is whatever was there before,
// and so is the rest of y.
bool LinearCall::Handles::run_class(std::size_t row_class, const float* x, std::int64_t rows, float* y,
                                    float* copy) noexcept {
  for (std::int64_t slice = 0; slice < linear->slices.count; ++slice) {
    if (!multiply(row_class, slice, slice_rows(slice, x, rows, copy), y)) return false;
  }
  add_bias(y, rows);
  const LinearShape& shape = linear->shape;
  if (shape.activation != Activation::none)
    linear->table->activate({y, rows, shape.out, shape.row_stride, shape.activation});
  return true;
}

bool LinearCall::Handles::run_padded(std::size_t row_class, const float* x, std::int64_t rows, float* y,
                                     float* copy) noexcept {
  float* padded = copy + largest_class * linear->slices.width;
  if (!run_class(row_class, x, rows, padded, copy)) return false;
  std::memcpy(y, padded, sizeof(float) * static_cast<std::size_t>(rows * linear->shape.row_stride));
  return true;
}

bool LinearCall::Handles::run(RowBlock rows, void* scratch) noexcept {
  auto* copy = reinterpret_cast<float*>(static_cast<char*>(scratch) + linear->scratchpad_room());
  bool ok = point(scratchpad, scratch);
  while (ok && rows.count > 0) {
    const std::size_t c = next_row_class(linear->classes, rows.count);
    const std::int64_t count = std::min(rows.count, linear->classes[c]);
    const bool whole = count == linear->classes[c];
    ok = whole ? run_class(c, rows.x, count, rows.y, copy) : run_padded(c, rows.x, count, rows.y, copy);
    rows.x += count * linear->shape.in;
    rows.y += count * linear->shape.row_stride;
    rows.count -= count;
  }
  return ok;
}

bool LinearCall::ran_out_of_memory() const noexcept {
  return handles_ != nullptr && handles_->out_of_memory;
}

bool LinearCall::run(const RowBlock& rows, const ColumnPart& part, void* scratch) noexcept {
  if (!linear_->panels_) return handles_->run(rows, scratch);
  linear_->panels_->multiply(rows, linear_->shape(), part);
  return true;
}

}  // namespace headwise::projection
