#include <string>

#include "headwise/positions.hpp"
#include "numbers.hpp"
#include "out_of_memory.hpp"
#include "view_checks.hpp"
#include "views.hpp"

namespace headwise {
namespace {

struct Call {
  const RotaryInputs& inputs;
  const MutableTensorView& output;
  std::int64_t batch, heads, length, head_dim, half;
  Tensor cos, sin;  // f64 [half] of the token at hand
};

void check_data(const RotaryInputs& inputs, const MutableTensorView& output) {
  const TensorView& input = inputs.input;
  require_readable("input", input, float_types);
  if (input.shape.rank() != 4) refuse("input", "has shape " + to_string(input.shape) + "; expected [B, H, L, d]");
  require_writable("output", output, float_types);
  require_shape("output", output, input.shape);
  if (output.dtype != input.dtype) {
    refuse("output",
           std::string("must be ") + dtype_name(input.dtype) + " as the input, not " + dtype_name(output.dtype));
  }
  if (!same_elements(input, output)) require_apart("output", output, "input", input);
  if (inputs.layout != RotaryLayout::half_split && inputs.layout != RotaryLayout::interleaved) {
    refuse("layout", "is no value of its type: " + std::to_string(static_cast<int>(inputs.layout)));
  }
}

// The number of pairs is what the tables are wide.
void check_tables(const RotaryInputs& inputs) {
  const TensorView &cos = inputs.cos, &sin = inputs.sin;
  const Dims& shape = inputs.input.shape;
  require_readable("cos", cos, float_types);
  require_readable("sin", sin, float_types);
  const bool by_id = inputs.position_ids.given;
  if (cos.shape.rank() != (by_id ? 2 : 3)) {
    refuse("cos", "has shape " + to_string(cos.shape) + "; expected " +
                      (by_id ? "[positions, dim/2] with position_ids" : "[B, L, dim/2] without position_ids"));
  }
  const std::int64_t half = cos.shape[by_id ? 1 : 2];
  if (half > shape[3] / 2) {
    refuse("cos", "turns " + std::to_string(half) + " pairs; expected at most half of the " + std::to_string(shape[3]) +
                      " components of a head");
  }
  if (!by_id) require_shape("cos", cos, {shape[0], shape[2], half});
  require_shape("sin", sin, cos.shape);
}

TensorView with_batch(const TensorView& ids, std::int64_t batch) {
  if (ids.shape.rank() != 1) return ids;
  return {ids.data, ids.dtype, {batch, ids.shape[0]}, {0, ids.strides[0]}};
}

std::int64_t id_of(const RotaryInputs& inputs, std::int64_t b, std::int64_t token) {
  const TensorView ids = with_batch(inputs.position_ids, inputs.input.shape[0]);
  return id_at(ids, element_offset(ids, {b, token}));
}

void check_ids(const RotaryInputs& inputs) {
  const Dims& shape = inputs.input.shape;
  const TensorView& ids = inputs.position_ids;
  require_readable("position_ids", ids, id_types);
  if (ids.shape != Dims{shape[2]}) require_shape("position_ids", ids, {shape[0], shape[2]});
  if (element_count(shape) == 0) return;
  const std::int64_t positions = inputs.cos.shape[0];
  for_each_index({shape[0], shape[2]}, [&](const Dims& index) {
    const std::int64_t id = id_of(inputs, index[0], index[1]);
    if (id >= 0 && id < positions) return;
    refuse("position_ids", "holds " + std::to_string(id) + " for token " + std::to_string(index[1]) + " of sequence " +
                               std::to_string(index[0]) + "; cos and sin have " + std::to_string(positions) +
                               " positions");
  });
}

void check_call(const RotaryInputs& inputs, const MutableTensorView& output) {
  check_data(inputs, output);
  check_tables(inputs);
  if (inputs.position_ids.given) {
    check_ids(inputs);
    require_apart("output", output, "position_ids", inputs.position_ids);
  }
  require_apart("output", output, "cos", inputs.cos);
  require_apart("output", output, "sin", inputs.sin);
}

// Widened once a token, for all its heads.
void load_angles(Call& call, std::int64_t b, std::int64_t token) {
  const bool by_id = call.inputs.position_ids.given;
  const Dims first = by_id ? Dims{id_of(call.inputs, b, token), 0} : Dims{b, token, 0};
  const auto load = [&](const TensorView& table, double* to) {
    const std::int64_t offset = element_offset(table, first), stride = table.strides[table.shape.rank() - 1];
    for (std::int64_t i = 0; i < call.half; ++i) to[i] = float_at(table, offset + i * stride);
  };
  load(call.inputs.cos, call.cos.data<double>());
  load(call.inputs.sin, call.sin.data<double>());
}

// In double and rounded once; a pair is read before it is written, so that the output may be the input.
void turn_row(const Call& call, const ConstLine& from, const Line& to) {
  const bool split = call.inputs.layout == RotaryLayout::half_split;
  const double *cos = call.cos.data<double>(), *sin = call.sin.data<double>();
  for (std::int64_t i = 0; i < call.half; ++i) {
    const std::int64_t first = split ? i : 2 * i, second = split ? i + call.half : 2 * i + 1;
    const double x = float_at(from.view, from.offset + first * from.stride);
    const double y = float_at(from.view, from.offset + second * from.stride);
    store_float(to.view, to.offset + first * to.stride, x * cos[i] - y * sin[i]);
    store_float(to.view, to.offset + second * to.stride, x * sin[i] + y * cos[i]);
  }
}

void write_row(const Call& call, const Dims& index) {
  const ConstLine from{call.inputs.input, element_offset(call.inputs.input, index), call.inputs.input.strides[3]};
  const Line to{call.output, element_offset(call.output, index), call.output.strides[3]};
  turn_row(call, from, to);
  const std::int64_t turned = 2 * call.half, rest = call.head_dim - turned;
  if (rest == 0 || same_elements(call.inputs.input, call.output)) return;
  copy_line({from.view, from.offset + turned * from.stride, from.stride},
            {to.view, to.offset + turned * to.stride, to.stride}, rest);
}

}  // namespace

void apply_rotary(const RotaryInputs& inputs, const MutableTensorView& output) try {
  check_call(inputs, output);
  const Dims& shape = inputs.input.shape;
  if (element_count(shape) == 0) return;
  const std::int64_t half = inputs.cos.shape[inputs.cos.shape.rank() - 1];
  Call call{inputs,
            output,
            shape[0],
            shape[1],
            shape[2],
            shape[3],
            half,
            Tensor(DType::f64, {half}),
            Tensor(DType::f64, {half})};
  for_each_index({call.batch, call.length}, [&](const Dims& token) {
    load_angles(call, token[0], token[1]);
    for (std::int64_t head = 0; head < call.heads; ++head) write_row(call, {token[0], head, token[1], 0});
  });
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory to turn rows");
}

}  // namespace headwise
