#include <doctest/doctest.h>

#include <cmath>
#include <complex>

#include "any_floats.hpp"
#include "headwise/positions.hpp"
#include "small_floats.hpp"

using namespace headwise;

namespace {

// One call of random sizes, types and layouts.
struct RotaryCall {
  std::int64_t batch, heads, length, dim, half, positions = 7;
  bool by_id, ids_have_batch;
  RotaryInputs inputs;
  StridedTensor input, cos, sin, ids, output;

  RotaryCall(Random& random, DType dtype)
      : batch(random.below(3) + 1),
        heads(random.below(3) + 1),
        length(random.below(4) + 1),
        dim(random.below(12) + 1),
        half(random.below(dim / 2 + 1)),
        by_id(random.chance(0.5)),
        ids_have_batch(random.chance(0.5)) {
    const DType table_types[] = {DType::f32, DType::f64, dtype};
    const DType table = table_types[random.below(3)];
    const Dims table_shape = by_id ? Dims{positions, half} : Dims{batch, length, half};
    input = any_floats(random, dtype, {batch, heads, length, dim}, true);
    output = any_floats(random, dtype, {batch, heads, length, dim}, false);
    cos = any_floats(random, table, table_shape, true);
    sin = any_floats(random, table, table_shape, true);
    inputs = {.input = input.view(), .cos = cos.view(), .sin = sin.view()};
    if (by_id) add_ids(random);
    if (random.chance(0.5)) inputs.layout = RotaryLayout::interleaved;
  }
  void add_ids(Random& random) {
    const DType type = random.chance(0.5) ? DType::i32 : DType::i64;
    ids = StridedTensor(type, ids_have_batch ? Dims{batch, length} : Dims{length}, random_layout(random, true), random);
    if (type == DType::i32) ids.for_each<std::int32_t>([&](auto& id) { id = std::int32_t(random.below(positions)); });
    if (type == DType::i64) ids.for_each<std::int64_t>([&](auto& id) { id = random.below(positions); });
    inputs.position_ids = ids.view();
  }
  // Where the angles of a token stand among all values of cos.
  std::size_t angles_at(std::int64_t b, std::int64_t token) const {
    if (!by_id) return std::size_t((b * length + token) * half);
    const Tensor wide = convert(ids.view(), DType::i64);
    return std::size_t(wide.data<std::int64_t>()[ids_have_batch ? b * length + token : token] * half);
  }
};

// Every row as complex numbers: (x + iy)·(cos + i·sin).
std::vector<double> expected_of(const RotaryCall& call) {
  std::vector<double> values = read_floats(call.input.view());
  const std::vector<double> cos = read_floats(call.cos.view()), sin = read_floats(call.sin.view());
  const bool split = call.inputs.layout == RotaryLayout::half_split;
  for (std::int64_t row = 0; row < call.batch * call.heads * call.length; ++row) {
    const std::size_t angles = call.angles_at(row / call.length / call.heads, row % call.length);
    for (std::int64_t i = 0; i < call.half; ++i) {
      double& x = values[std::size_t(row * call.dim + (split ? i : 2 * i))];
      double& y = values[std::size_t(row * call.dim + (split ? i + call.half : 2 * i + 1))];
      const auto at = angles + std::size_t(i);
      const std::complex<double> turned = std::complex(x, y) * std::complex(cos[at], sin[at]);
      x = turned.real();
      y = turned.imag();
    }
  }
  return values;
}

// Half a unit of the type, or a few of double where the arithmetic itself shows.
void check_close(const std::vector<double>& actual, const std::vector<double>& expected, DType dtype) {
  REQUIRE(actual.size() == expected.size());
  const double smallest = dtype == DType::f16 ? 0x1p-25 : 0;  // half the spacing of its subnormal numbers
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const double rounding = std::max(0.5 * epsilon_of(dtype) * std::fabs(expected[i]), smallest);
    REQUIRE(std::fabs(actual[i] - expected[i]) <= rounding + 0x1p-49);
  }
}

}  // namespace

TEST_CASE("A20: both layouts of one head") {
  // 1, 2, 3, 4 at position 1 with base 10000.
  const std::vector<double> frequencies = rotary_frequencies({.dim = 4});
  const double input[] = {1, 2, 3, 4};
  double output[4];
  const double cos[] = {std::cos(frequencies[0]), std::cos(frequencies[1])};
  const double sin[] = {std::sin(frequencies[0]), std::sin(frequencies[1])};
  const std::pair<RotaryLayout, std::vector<double>> cases[] = {
      {RotaryLayout::half_split, {-1.9841106485555495, 1.959900667496664, 2.4623779024123156, 4.019799668334994}},
      {RotaryLayout::interleaved, {-1.1426396637476532, 1.922075596544176, 2.9598506679133294, 4.029799501669161}}};
  for (const auto& [layout, expected] : cases) {
    apply_rotary({.input = {input, DType::f64, {1, 1, 1, 4}},
                  .cos = {cos, DType::f64, {1, 1, 2}},
                  .sin = {sin, DType::f64, {1, 1, 2}},
                  .layout = layout},
                 {output, DType::f64, {1, 1, 1, 4}});
    for (std::size_t i = 0; i < 4; ++i) CHECK(output[i] == doctest::Approx(expected[i]).epsilon(1e-14));
  }
}

TEST_CASE("rotation: all types, layouts, widths, tables and strides") {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16, DType::f64}) {
    Random random(21);
    INFO("seed 21");
    for (int repeat = 0; repeat < 400; ++repeat) {
      CAPTURE(repeat);
      CAPTURE(dtype_name(dtype));
      const RotaryCall call(random, dtype);
      apply_rotary(call.inputs, call.output.view());
      check_close(read_floats(call.output.view()), expected_of(call), dtype);
    }
  }
}

TEST_CASE("rotation: in place gives the same bits") {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16, DType::f64}) {
    Random random(22);
    INFO("seed 22");
    for (int repeat = 0; repeat < 200; ++repeat) {
      CAPTURE(repeat);
      RotaryCall call(random, dtype);
      if (call.input.shares()) continue;
      apply_rotary(call.inputs, call.output.view());
      apply_rotary(call.inputs, call.input.view());
      REQUIRE(read_floats(call.input.view()) == read_floats(call.output.view()));
    }
  }
}

TEST_CASE("rotation: query and key side by side in one tensor") {
  float both[2][8], expected[2][4];
  Random random(23);
  random.fill(&both[0][0], 16, -1, 1);
  const float cos[] = {0.6f, 0.8f}, sin[] = {0.8f, -0.6f};
  RotaryInputs inputs{.input = {&both[0][0], DType::f32, {1, 1, 2, 4}, {0, 0, 8, 1}},
                      .cos = {cos, DType::f32, {1, 2, 2}, {0, 0, 1}},
                      .sin = {sin, DType::f32, {1, 2, 2}, {0, 0, 1}}};
  apply_rotary(inputs, {expected, DType::f32, {1, 1, 2, 4}});
  apply_rotary(inputs, {&both[0][4], DType::f32, {1, 1, 2, 4}, {0, 0, 8, 1}});
  for (int row = 0; row < 2; ++row) CHECK(std::memcmp(&both[row][4], expected[row], sizeof expected[row]) == 0);
}

TEST_CASE("rotation: components that do not turn keep every bit") {
  const std::uint16_t input[] = {f32_to_f16(1), f32_to_f16(2), 0x7c01, 0xfe5a};  // a signalling NaN, a payload
  std::uint16_t output[4] = {};
  const float cos[] = {0}, sin[] = {1};
  apply_rotary({.input = {input, DType::f16, {1, 1, 1, 4}},
                .cos = {cos, DType::f32, {1, 1, 1}},
                .sin = {sin, DType::f32, {1, 1, 1}}},
               {output, DType::f16, {1, 1, 1, 4}});
  CHECK(output[0] == f32_to_f16(-2));
  CHECK(output[1] == f32_to_f16(1));
  CHECK(output[2] == 0x7c01);
  CHECK(output[3] == 0xfe5a);
}

TEST_CASE("rotation: nothing to turn") {
  float number = 1;
  const std::int64_t huge = std::int64_t{1} << 40;
  for (const Dims& shape : {Dims{0, 1, 1, 2}, Dims{1, 0, 1, 2}, Dims{1, 1, 0, 2}, Dims{huge, 0, 1, 2}}) {
    const Dims table{shape[0], shape[2], 1};
    apply_rotary({.input = {nullptr, DType::f32, shape},
                  .cos = {&number, DType::f32, table, {0, 0, 0}},
                  .sin = {&number, DType::f32, table, {0, 0, 0}}},
                 {nullptr, DType::f32, shape});
  }
}
