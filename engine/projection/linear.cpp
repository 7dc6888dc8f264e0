#include "linear.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "packed.hpp"
#include "panels.hpp"

namespace headwise::projection {

namespace {

using dnnl::memory;
using Descriptors = std::vector<dnnl::matmul::primitive_desc>;

[[noreturn]] void fail(const dnnl::error& error, const LinearShape& shape) {
  const bool memory_gone = error.status == dnnl_out_of_memory;
  throw Error(memory_gone ? ErrorCode::out_of_memory : ErrorCode::internal,
              "oneDNN cannot prepare a projection from " + std::to_string(shape.in) + " to " +
                  std::to_string(shape.row_stride) + " features: " + error.what());
}

// `count` floats from `from` followed by zeros.
Tensor padded(const float* from, std::int64_t count, const Dims& shape) {
  Tensor result(shape);
  if (count > 0) std::memcpy(result.data(), from, sizeof(float) * static_cast<std::size_t>(count));
  return result;
}

bool is_reference(const dnnl::matmul::primitive_desc& desc) {
  return std::strstr(desc.impl_info_str(), "ref") != nullptr;
}

}  // namespace

Descriptors Linear::Packed::describe(const SliceKind& kind) const {
  Descriptors result;
  for (const std::int64_t rows : classes) {
    result.push_back(describe_matmul(
        {dense_matrix(rows, kind.width), kind.weights_desc, dense_matrix(rows, shape.row_stride), kind.accumulate}));
  }
  return result;
}

// oneDNN picks the packed format for the largest class; should a smaller class have no fast kernel for that format, the
// plain one serves all.
void Linear::Packed::add_kind(SliceKind kind) {
  kind.weights_desc = memory::desc({kind.width, shape.row_stride}, memory::data_type::f32, memory::format_tag::any);
  kind.weights_desc = describe(kind).back().weights_desc();
  Descriptors descriptors = describe(kind);
  if (std::any_of(descriptors.begin(), descriptors.end(), is_reference)) {
    kind.weights_desc = dense_matrix(kind.width, shape.row_stride);
    descriptors = describe(kind);
  }
  for (const auto& desc : descriptors) {
    scratchpad_bytes = std::max(scratchpad_bytes, desc.scratchpad_desc().get_size());
    kind.primitives.emplace_back(desc);
  }
  implementation = descriptors.back().impl_info_str();
  kinds.push_back(std::move(kind));
}

std::size_t Linear::Packed::find_or_add_kind(std::int64_t width, bool accumulate) {
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i].width == width && kinds[i].accumulate == accumulate) return i;
  }
  add_kind({width, accumulate, {}, {}});
  return kinds.size() - 1;
}

Tensor Linear::Packed::pack(const float* weight, std::int64_t slice) const {
  const SliceKind& kind = kinds[kind_of[static_cast<std::size_t>(slice)]];
  Tensor packed(DType::u8, {static_cast<std::int64_t>(kind.weights_desc.get_size())}, allocator);
  const memory::desc transposed({kind.width, shape.row_stride}, memory::data_type::f32, memory::dims{1, shape.in});
  memory from(transposed, cpu_engine(), const_cast<float*>(weight + slice_start(slice)));
  memory to(kind.weights_desc, cpu_engine(), packed.data<std::uint8_t>());
  dnnl::stream stream(cpu_engine());
  dnnl::reorder(from, to).execute(stream, from, to);
  stream.wait();
  return packed;
}

// "brg" is the packed kernel that treats every row alike.
void Linear::Packed::choose_classes() {
  const memory::desc any({slices.width, shape.row_stride}, memory::data_type::f32, memory::format_tag::any);
  const auto rows = [&](std::int64_t width) { return dense_matrix(largest_class, width); };
  const auto desc = describe_matmul({rows(slices.width), any, rows(shape.row_stride), false});
  if (std::strncmp(desc.impl_info_str(), "brg", 3) != 0) classes = padded_classes;
}

void Linear::Packed::build(const float* weight) {
  slices = make_slices(shape.in);
  choose_classes();
  const Tensor rows = padded(weight, shape.out * shape.in, {shape.row_stride, shape.in});
  for (std::int64_t slice = 0; slice < slices.count; ++slice) {
    kind_of.push_back(find_or_add_kind(slice_width(slice), slice > 0));
    weights.push_back(pack(rows.data(), slice));
  }
}

namespace {

// The parts as one matrix, and their biases as one row.
struct Joined {
  Tensor weight, bias;
  Joined(std::span<const LinearPart> parts, const LinearShape& shape) : weight({shape.out, shape.in}) {
    const bool any_bias =
        std::any_of(parts.begin(), parts.end(), [](const auto& part) { return part.bias != nullptr; });
    if (any_bias) bias = Tensor({shape.out});
    std::int64_t first = 0;
    for (const LinearPart& part : parts) {
      std::copy_n(part.weight, part.out * shape.in, weight.data() + first * shape.in);
      if (part.bias != nullptr) std::copy_n(part.bias, part.out, bias.data() + first);
      first += part.out;
    }
  }
};

}  // namespace

Linear::Linear(const LinearShape& shape) : shape_(shape) {}

Linear::Linear(std::span<const LinearPart> parts, const LinearShape& shape, const kernels::KernelTable* table,
               const Allocator& allocator)
    : Linear(shape) {
  if (table != nullptr && table->multiply != nullptr) {
    panels_ = std::make_unique<Panels>(parts, shape.in, *table, allocator);
    return;
  }
  packed_ = std::make_unique<Packed>();
  packed_->shape = shape;
  packed_->table = table != nullptr ? table : kernels::find_kernels("reference");
  packed_->allocator = allocator;
  const Joined joined(parts, shape);
  if (joined.bias.given()) packed_->bias = padded(joined.bias.data(), shape.out, {shape.row_stride});
  const SingleThread guard;  // primitives planned for one thread: headwise itself spreads rows over threads
  try {
    packed_->build(joined.weight.data());
  } catch (const dnnl::error& error) {
    fail(error, shape);
  }
}

Linear::Linear(const float* weight, const float* bias, const LinearShape& shape, const kernels::KernelTable* table,
               const Allocator& allocator)
    : Linear(std::array{LinearPart{weight, bias, shape.out}}, shape, table, allocator) {}

Linear::Linear(Linear&&) noexcept = default;
Linear::~Linear() = default;

std::optional<Linear> Linear::columns(std::int64_t first, const LinearShape& shape) const {
  if (panels_ == nullptr || !panels_->can_start_at(first)) return std::nullopt;
  Linear result(shape);
  result.panels_ = std::make_unique<Panels>(panels_->from(first, shape.out));
  return result;
}

std::int64_t Linear::max_parts() const noexcept {
  return panels_ ? panels_->count() : 1;
}

std::string Linear::implementation() const {
  return panels_ ? "panels" : packed_->implementation;
}

// The scratchpad, a copy of one slice of the input rows, and the output rows of a padded class.
std::size_t Linear::scratch_bytes() const noexcept {
  if (panels_) return 0;
  const std::int64_t copied = packed_->copies_input() ? largest_class * packed_->slices.width : 0;
  const std::int64_t padded_rows = packed_->pads_rows() ? packed_->classes.front() * packed_->shape.row_stride : 0;
  return packed_->scratchpad_room() + static_cast<std::size_t>(copied + padded_rows) * sizeof(float);
}

SingleThread::SingleThread() noexcept : before_(omp_get_max_threads()) {
  omp_set_num_threads(1);
}
SingleThread::~SingleThread() {
  omp_set_num_threads(before_);
}

}  // namespace headwise::projection
