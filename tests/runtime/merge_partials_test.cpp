// Slices of the keys merge into what one pass over all keys gives, held against float64.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "any_floats.hpp"
#include "expect_error.hpp"
#include "headwise/attention.hpp"

using namespace headwise;

namespace {

constexpr double none = -std::numeric_limits<double>::infinity(),
                 not_a_number = std::numeric_limits<double>::quiet_NaN();

// Softmax over scores of several slices, in long double.
struct MergeCase {
  Dims shape;  // of the context
  std::int64_t rows, width;
  std::vector<std::vector<double>> contexts, sums;  // of each slice
  std::vector<double> context, sum;                 // of all

  MergeCase(Random& random, const Dims& shape_, std::size_t slices)
      : shape(shape_), rows(1), width(shape[shape.rank() - 1]), contexts(slices), sums(slices) {
    for (int axis = 0; axis + 1 < shape.rank(); ++axis) rows *= shape[axis];
    for (std::int64_t row = 0; row < rows; ++row) add_row(random);
  }
  void add_row(Random& random) {
    std::vector<long double> total(std::size_t(width), 0.0L);
    long double weight = 0;
    const float level = random.uniform(-300, 300);  // exp() of it alone would not fit a float
    for (std::size_t s = 0; s < contexts.size(); ++s) {
      const bool dead = random.chance(0.2);
      sums[s].push_back(dead ? none : double(level + random.uniform(-5, 5)));
      const long double share = dead ? 0 : std::exp((long double)(sums[s].back()) - level);
      weight += share;
      for (std::int64_t i = 0; i < width; ++i) {
        contexts[s].push_back(dead ? not_a_number : double(random.uniform(-1, 1)));
        if (!dead) total[std::size_t(i)] += share * (long double)(contexts[s].back());
      }
    }
    sum.push_back(weight == 0 ? none : double(level + std::log(weight)));
    for (const long double t : total) context.push_back(weight == 0 ? 0 : double(t / weight));
  }
};

Dims leading(const Dims& shape) {
  return Dims(shape.begin(), std::size_t(shape.rank() - 1));
}

void check_close(const std::vector<double>& actual, const std::vector<double>& expected, double error) {
  REQUIRE(actual.size() == expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (expected[i] == none) REQUIRE(actual[i] == none);
    if (expected[i] != none)
      REQUIRE(std::fabs(actual[i] - expected[i]) <= error * std::max(1.0, std::fabs(expected[i])));
  }
}

void check_case(Random& random, DType dtype, DType sum_dtype) {
  const Dims shapes[] = {{2, 3, 4, 5}, {3, 7}, {4}, {1, 2, 3, 1, 2}, {2, 3, 0}, {0, 4}};
  const MergeCase merge(random, shapes[random.below(6)], std::size_t(random.below(4) + 1));
  std::vector<StridedTensor> memory;
  std::vector<PartialAttention> slices;
  for (std::size_t s = 0; s < merge.contexts.size(); ++s) {
    memory.push_back(stored_floats(random, dtype, merge.shape, merge.contexts[s]));
    memory.push_back(stored_floats(random, sum_dtype, leading(merge.shape), merge.sums[s]));
    slices.push_back({memory[2 * s].view(), memory[2 * s + 1].view()});
  }
  const StridedTensor context(dtype, merge.shape, random_layout(random, false), random);
  const StridedTensor sum(sum_dtype, leading(merge.shape), random_layout(random, false), random);
  merge_partials(slices, context.view(), sum.view());
  // A sum near 300 rounds by 1.5e-5 in f32, and shares with it.
  const double sum_error = sum_dtype == DType::f32 ? 3e-5 : 1e-13;
  check_close(read_floats(context.view()), merge.context, epsilon_of(dtype) + 4 * sum_error);
  check_close(read_floats(sum.view()), merge.sum, sum_error);
  const std::vector<double> first = read_floats(context.view());
  merge_partials(slices, context.view());
  CHECK(read_floats(context.view()) == first);
}

// One row of two components in two slices.
struct Pair {
  double contexts[2][2] = {{1, 2}, {3, 6}}, sums[2] = {0, 0}, context[2] = {9, 9}, sum = 9;

  void merge() {
    std::vector<PartialAttention> slices;
    for (int s = 0; s < 2; ++s) {
      slices.push_back({{contexts[s], DType::f64, {1, 2}}, {&sums[s], DType::f64, {1}}});
    }
    merge_partials(slices, {context, DType::f64, {1, 2}}, {&sum, DType::f64, {1}});
  }
};

}  // namespace

TEST_CASE("merge: slices of any type, shape and stride") {
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16}) {
    for (const DType sum_dtype : {DType::f32, DType::f64}) {
      Random random(51);
      INFO("seed 51");
      for (int repeat = 0; repeat < 150; ++repeat) {
        CAPTURE(repeat);
        check_case(random, dtype, sum_dtype);
      }
    }
  }
}

TEST_CASE("merge: equal sums give the mean, one slice its own bits") {
  Pair pair;
  pair.merge();
  CHECK(pair.context[0] == 2);
  CHECK(pair.context[1] == 4);
  CHECK(pair.sum == std::log(2.0));
  pair = {.sums = {0.3, none}};
  pair.merge();
  CHECK(pair.context[1] == 2);
  CHECK(pair.sum == 0.3);
}

TEST_CASE("merge: a slice without a key counts for nothing, whatever its context holds") {
  Pair pair;
  pair.sums[0] = none;
  pair.contexts[0][0] = not_a_number;
  pair.contexts[0][1] = std::numeric_limits<double>::infinity();
  pair.merge();
  CHECK(pair.context[0] == 3);
  CHECK(pair.context[1] == 6);
  pair.sums[1] = none;
  pair.merge();
  CHECK(pair.context[0] == 0);
  CHECK(pair.context[1] == 0);
  CHECK(pair.sum == none);
}

TEST_CASE("merge: NaN of live slices arrives") {
  Pair context;
  context.contexts[1][0] = not_a_number;
  context.sums[1] = -2000;  // its share underflows
  context.merge();
  CHECK(std::isnan(context.context[0]));
  CHECK(context.context[1] == 2);
  for (const double other : {0.0, none}) {
    Pair sum{.sums = {not_a_number, other}};
    sum.merge();
    CHECK(std::isnan(sum.context[0]));
    CHECK(std::isnan(sum.sum));
  }
}

TEST_CASE("merge: large numbers do not overflow on the way") {
  constexpr double big = std::numeric_limits<double>::max();
  Pair pair{.contexts = {{big, 0}, {big, 0}}, .sums = {1e300, 1e300}};
  pair.merge();
  CHECK(pair.context[0] == big);
  CHECK(pair.sum == 1e300);
}

TEST_CASE("merge: nothing to merge in a huge empty shape") {
  constexpr std::int64_t huge = std::int64_t{1} << 60;
  const float number = 0;
  const TensorView context(nullptr, DType::f32, {huge, 0}, {0, 1});
  merge_partials({{context, {&number, DType::f32, {huge}, {0}}}}, {nullptr, DType::f32, {huge, 0}, {0, 1}});
}

TEST_CASE("errors: merge") {
  Tensor context({2, 3}), sum({2}), merged({2, 3}), merged_sum({2});
  const auto refused = [](const std::vector<std::string>& words, const std::vector<PartialAttention>& slices,
                          const MutableTensorView& to, const MutableTensorView& to_sum) {
    expect_error(ErrorCode::invalid_argument, words, [&] { merge_partials(slices, to, to_sum); });
  };
  const PartialAttention slice{context, sum};
  const auto bad_slice = [&](const std::vector<std::string>& words, const TensorView& part,
                             const TensorView& part_sum) {
    refused(words, {slice, {part, part_sum}}, merged, merged_sum);
  };
  refused({"slices is empty"}, {}, merged, merged_sum);
  refused({"context is missing"}, {slice}, {}, merged_sum);
  refused({"context must be"}, {slice}, {merged.data(), DType::i64, {2, 3}}, {});
  refused({"context has no axis"}, {slice}, {merged.data(), DType::f32, {}}, {});
  refused({"context has strides", "overwrite"}, {slice}, {merged.data(), DType::f32, {2, 3}, {0, 1}}, {});
  refused({"log_sum_exp must be f32 or f64, not f16"}, {slice}, merged, {merged_sum.data(), DType::f16, {2}});
  refused({"log_sum_exp has shape [2, 3]; expected [2]"}, {slice}, merged, {context.data(), DType::f32, {2, 3}});
  bad_slice({"slices[1].context is missing"}, {}, sum);
  bad_slice({"slices[1].log_sum_exp is missing"}, context, {});
  bad_slice({"slices[1].context must be", "u8"}, {context.data(), DType::u8, {2, 3}}, sum);
  bad_slice({"slices[1].log_sum_exp must be f32 or f64, not bf16"}, context, {sum.data(), DType::bf16, {2}});
  bad_slice({"slices[1].context has shape [2, 2]; expected [2, 3]"}, {context.data(), DType::f32, {2, 2}}, sum);
  bad_slice({"slices[1].log_sum_exp has shape [1]; expected [2]"}, context, {sum.data(), DType::f32, {1}});
  bad_slice({"slices[1].context has no memory"}, {nullptr, DType::f32, {2, 3}}, sum);
  bad_slice({"context overlaps slices[1].context"}, merged, sum);
  bad_slice({"context overlaps slices[1].log_sum_exp"}, context, {merged.data() + 2, DType::f32, {2}});
  bad_slice({"log_sum_exp overlaps slices[1].log_sum_exp"}, context, merged_sum);
  bad_slice({"log_sum_exp overlaps slices[1].context"}, {merged_sum.data(), DType::f32, {2, 3}, {0, 0}}, sum);
  refused({"log_sum_exp overlaps context"}, {slice}, merged, {merged.data(), DType::f32, {2}});
}
