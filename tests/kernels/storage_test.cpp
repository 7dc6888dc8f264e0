// How keys and values are stored: halves of every bit pattern, rows in two pieces, doubles in the reference.
#include "float_check.hpp"
#include "kernel_harness.hpp"
#include "key_memory.hpp"

using namespace headwise::kernels;

namespace {

// The value that attention to one key of halves gives back.
void check_patterns(const Runner& runner, Element element, float (*number)(std::uint16_t)) {
  constexpr std::int64_t width = 512;
  for (std::uint32_t first = 0; first < 0x10000; first += width) {
    HeadCase c(1, 1, 1, width);
    c.element = element;
    HeadData data(c);
    for (std::int64_t i = 0; i < width; ++i) data.v(0, i) = number(std::uint16_t(first + i));
    runner(data, false);
    for (std::int64_t i = 0; i < width; ++i) {
      const float expect = number(std::uint16_t(first + i));
      CAPTURE(expect);
      REQUIRE((std::isnan(expect) ? std::isnan(data.o(0, i)) : data.o(0, i) == expect));
    }
  }
}

}  // namespace

TEST_CASE("kernels: every half and bfloat16 is read exactly") {
  for (const Runner& runner : runners()) {
    check_patterns(runner, Element::f16, from_half);
    if (runner.way == Way::whole) check_patterns(runner, Element::bf16, from_bfloat);
  }
}

TEST_CASE("kernels: halves give the bits that their floats give") {
  for (const Runner& runner : runners()) {
    for (const Element element : {Element::f16, Element::bf16}) {
      HeadCase c(7, 333, 37, 21);
      c.element = element;
      HeadData halves(c);
      Random random(51);
      halves.fill(random, 1);
      runner(halves, true);
      const std::vector<float> output(halves.output.begin(), halves.output.end());
      halves.shape.element = Element::f32;
      runner(halves, true);
      CHECK(std::equal(output.begin(), output.end(), halves.output.begin()));
    }
  }
}

TEST_CASE("kernels: rows in two pieces give the bits of one, wherever they are split") {
  for (const Runner& runner : runners()) {
    HeadData data(HeadCase(5, 210, 9, 11));
    Random random(52);
    data.fill(random, 1);
    data.shape.mask.last_offset = 190;
    runner(data, true);
    const std::vector<float> output(data.output.begin(), data.output.end());
    for (const std::int64_t split : {0, 1, 95, 96, 97, 100, 209, 210}) {
      data.shape.split = split;
      runner(data, true);
      CAPTURE(split);
      CHECK(std::equal(output.begin(), output.end(), data.output.begin()));
    }
  }
}

TEST_CASE("kernels: the mean of a row without a live key is that of all values, however they are stored") {
  for (const Runner& runner : runners()) {
    for (const Element element : {Element::f32, Element::f16, Element::bf16}) {
      HeadCase c(2, 8, 2, 3);
      c.element = element;
      c.split = 5;
      c.mask.key_end = 0;
      c.empty_row = EmptyRow::mean;
      c.gate = 2;
      HeadData data(c);
      for (std::int64_t j = 0; j < 8; ++j) data.v(j, 1) = float(j);
      runner(data, true);
      CHECK(data.o(1, 1) == 7);
      CHECK(data.w(1, 7) == 0.125F);
    }
  }
}

TEST_CASE("reference: a task of doubles is computed in doubles") {
  constexpr std::int64_t keys = 50, d = 6;
  Random random(53);
  std::vector<double> query(d), key(keys * d), value(keys * d), extra(2 * d), output(d), weights(keys + 1);
  std::vector<double> relative(2 * (3 + relative_margin) + 1, 0.25);
  for (auto* numbers : {&query, &key, &value, &extra}) {
    for (double& x : *numbers) x = double(random.uniform(-1, 1)) / 3;
  }
  const auto floats = [](std::vector<double>& numbers) { return reinterpret_cast<float*>(numbers.data()); };
  std::vector<double> scratch(1000);
  double log_sum_exp = 0;
  AttendTask task{};
  task.query = {floats(query), d};
  task.key = {key.data(), d, Element::f64, nullptr, INT64_MAX};
  task.value = {value.data(), d, Element::f64, nullptr, INT64_MAX};
  task.extra = {floats(extra), floats(extra) + 2 * d, d, d, 1};
  task.output = {floats(output), d};
  task.weights = {floats(weights), keys + 1};
  task.log_sum_exp = &log_sum_exp;
  task.shape = {keys, d, d};
  task.num_queries = 1;
  task.score.scale = 0.5F;
  task.score.softcap = 2;
  task.score.relative = floats(relative) + 2 * (3 + relative_margin);
  task.score.max_distance = 3;
  task.mask = {keys, -MaskForm::open, MaskForm::open, {}, 0};
  task.gate = 1;
  task.element = Element::f64;
  task.scratch = scratch.data();
  find_kernels("reference")->attend(task);

  HeadProblem problem{1, keys + 1, d, nullptr, nullptr, false, 0, 1};
  const auto number = [&](std::vector<double>& rows, std::int64_t behind, std::int64_t j, std::int64_t c) {
    return j < keys ? rows[std::size_t(j * d + c)] : extra[std::size_t(behind + c)];
  };
  problem.score = [&](std::int64_t, std::int64_t j) {
    double dot = 0;
    for (std::int64_t c = 0; c < d; ++c) dot += query[std::size_t(c)] * number(key, 0, j, c);
    return 2 * std::tanh(dot * 0.5 / 2) + (j < keys ? 0.25 : 0);
  };
  problem.value = [&](std::int64_t j, std::int64_t c) { return number(value, d, j, c); };
  const HeadTruth truth = solve(problem);
  for (std::size_t c = 0; c < d; ++c) CHECK(std::fabs(output[c] - truth.output[c]) <= 1e-15);
  for (std::size_t j = 0; j <= keys; ++j) CHECK(std::fabs(weights[j] - truth.weights[j]) <= 1e-16);
  CHECK(std::fabs(log_sum_exp - truth.log_sum_exp[0]) <= 1e-14);
}
