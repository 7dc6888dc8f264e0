// Slices of keys for few queries: where they end, and what their bits may depend on.
#include <cstring>

#include "kernel_harness.hpp"

using namespace headwise::kernels;

namespace {

std::vector<const KernelTable*> slicing_tables() {
  std::vector<const KernelTable*> result;
  for (const auto* table : runnable_tables()) {
    if (table->few_queries > 0) result.push_back(table);
  }
  return result;
}

struct Bits {
  std::vector<float> output;
  std::vector<double> log_sum_exp;
  bool operator==(const Bits& other) const {
    return std::memcmp(output.data(), other.output.data(), output.size() * sizeof(float)) == 0 &&
           std::memcmp(log_sum_exp.data(), other.log_sum_exp.data(), log_sum_exp.size() * sizeof(double)) == 0;
  }
};

Bits sliced(const KernelTable& table, HeadData& data) {
  run(table, data, true, Way::sliced);
  return {{data.output.begin(), data.output.end()}, data.log_sum_exp};
}

// The rows of `plain` among NaN ones: `before` at the left, one after every `step` keys, the rest at the right.
struct Padded {
  HeadData data;
  std::vector<std::uint8_t> keep;
  std::vector<std::int64_t> at;

  Padded(HeadData& plain, std::int64_t before, std::int64_t step, std::int64_t behind)
      : data(HeadCase(plain.shape.queries, before + plain.shape.keys + plain.shape.keys / step + behind,
                      plain.shape.head_dim, plain.shape.value_dim)),
        keep(std::size_t(data.shape.keys)) {
    std::copy(plain.query.begin(), plain.query.end(), data.query.begin());
    for (float& x : data.key) x = std::nanf("");
    for (float& x : data.value) x = std::nanf("");
    for (std::int64_t j = 0; j < plain.shape.keys; ++j) {
      at.push_back(before + j + j / step);
      keep[std::size_t(at.back())] = 1;
      for (std::int64_t c = 0; c < plain.shape.head_dim; ++c) data.k(at.back(), c) = plain.k(j, c);
      for (std::int64_t c = 0; c < plain.shape.value_dim; ++c) data.v(at.back(), c) = plain.v(j, c);
    }
    data.shape.mask.num_planes = 1;
    data.shape.mask.planes[0] = byte_plane(keep.data(), 0, 1, MaskKind::keep);
  }
};

}  // namespace

TEST_CASE("slices: padding at the left, in between and at the right changes no bit") {
  for (const auto* table : slicing_tables()) {
    Random random(31);
    HeadData plain(HeadCase(3, 1300, 20, 24));
    plain.fill(random, 1);
    const Bits expected = sliced(*table, plain);
    const std::vector<float> weights(plain.weights.begin(), plain.weights.end());
    for (const auto& [before, step, behind] :
         {std::tuple{7, 5000, 0}, {0, 5000, 9}, {500, 5000, 700}, {3, 1, 3}, {33, 4, 64}}) {
      for (const bool scanned : {false, true}) {
        Padded padded(plain, before, step, behind);
        padded.data.shape.scanned = scanned;
        const std::string isa = table->isa;
        CAPTURE(isa);
        CAPTURE(before);
        CAPTURE(step);
        CHECK(sliced(*table, padded.data) == expected);
        for (std::int64_t j = 0; j < 1300; ++j)
          REQUIRE(padded.data.w(2, padded.at[std::size_t(j)]) == weights[std::size_t(2 * 1300 + j)]);
      }
    }
  }
}

TEST_CASE("slices: a query's bits do not depend on how many others the task has") {
  for (const auto* table : slicing_tables()) {
    for (const bool modified : {false, true}) {
      Random random(32);
      HeadData together(HeadCase(table->few_queries, 1000, 21, 19));
      together.fill(random, 1);
      std::vector<float> bias(1000);
      random.fill(bias.data(), 1000, -1, 1);
      if (modified) {
        together.shape.score.softcap = 2;
        together.shape.score.alibi_slope = 0.01F;
        together.shape.mask.num_planes = 1;
        together.shape.mask.planes[0] = float_plane(bias.data(), 0, 1);
      }
      const Bits all = sliced(*table, together);
      for (std::int64_t i = 0; i < together.shape.queries; ++i) {
        HeadData alone(HeadCase(1, 1000, 21, 19));
        std::copy(together.key.begin(), together.key.end(), alone.key.begin());
        std::copy(together.value.begin(), together.value.end(), alone.value.begin());
        for (std::int64_t c = 0; c < 21; ++c) alone.q(0, c) = together.q(i, c);
        alone.shape.score = together.shape.score;
        alone.shape.score.query_offset = i;
        alone.shape.mask = together.shape.mask;
        const Bits one = sliced(*table, alone);
        const std::string isa = table->isa;
        CAPTURE(isa);
        CHECK(std::memcmp(one.output.data(), all.output.data() + i * 19, 19 * sizeof(float)) == 0);
        CHECK(one.log_sum_exp[0] == all.log_sum_exp[std::size_t(i)]);
      }
    }
  }
}

TEST_CASE("slices: one slice for every 480 live keys, in any order of making") {
  for (const auto* table : slicing_tables()) {
    Random random(33);
    HeadCase c(2, 1500, 16, 16);
    c.extra = 1;
    HeadData data(c);
    data.fill(random, 1);
    const Bits expected = sliced(*table, data);
    const HeadShape shape{1500, 16, 16, false};
    std::vector<char> memory(table->scratch_bytes(shape) + 64);
    AttendTask task{};
    task.query = {data.query.data(), 16};
    task.key = {data.key.data(), 16, Element::f32, nullptr, INT64_MAX};
    task.value = {data.value.data(), 16, Element::f32, nullptr, INT64_MAX};
    task.extra = {data.extra_key.data(), data.extra_value.data(), 16, 16, 1};
    task.output = {data.output.data(), 16};
    task.log_sum_exp = data.log_sum_exp.data();
    task.shape = shape;
    task.num_queries = 2;
    task.score = c.score;
    task.mask = c.mask;
    task.gate = 1;
    task.scratch = reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(memory.data()) + 63) / 64 * 64);
    std::vector<float> state(std::size_t(4 * slice_floats(2, 16)));
    Slice slices[4];
    for (const int s : {2, 0, 3, 1}) {
      slices[s].state = state.data() + s * slice_floats(2, 16);
      table->attend_slice(task, s * slice_keys, slices[s]);
      CHECK(slices[s].key_end == (s == 3 ? 1501 : (s + 1) * slice_keys));
    }
    for (float& x : data.output) x = 0;
    table->merge(task, slices, 4);
    CHECK(Bits{{data.output.begin(), data.output.end()}, data.log_sum_exp} == expected);
  }
}

TEST_CASE("slices: a NaN score makes its row NaN in every slice's company, and no maximum NaN") {
  for (const auto* table : slicing_tables()) {
    for (const std::int64_t at : {0, 1, 479, 480, 1000, 1099}) {
      HeadData data(HeadCase(2, 1100, 2, 3));
      for (float& x : data.value) x = 1;
      data.k(at, 1) = std::nanf("");
      data.q(0, 0) = data.q(1, 0) = 1;
      data.shape.mask.last_offset = at;  // the first query sees the NaN key as its last
      data.shape.mask.first_offset = -MaskForm::open;
      run(*table, data, true, Way::sliced);
      for (std::int64_t c = 0; c < 3; ++c) CHECK(std::isnan(data.o(0, c)));
      CHECK(std::isnan(data.w(0, 0)));
      if (at + 1 < 1100) CHECK(data.w(0, at + 1) == 0);
      CHECK(std::isnan(data.log_sum_exp[0]));
    }
  }
}

TEST_CASE("slices: every width of keys and values, any number of queries") {
  for (const auto* table : slicing_tables()) {
    UnitError total;
    Random random(34);
    for (std::int64_t d = 1; d <= 140; ++d) {
      HeadCase c(1 + d % table->few_queries, 1 + (d * 37) % 700, d, 1 + (d * 11) % 140);
      c.score.scale = 1 / std::sqrt(float(d));
      c.padding = d % 3;
      c.at_end = d % 2 == 0;
      HeadData data(c);
      data.fill(random, 1);
      check_against_oracle({table, Way::sliced}, data, total);
    }
    CHECK(total.rms() <= 1);
  }
}

TEST_CASE("slices: long rows") {
  for (const auto* table : slicing_tables()) {
    UnitError total;
    Random random(35);
    HeadCase c(2, 20000, 8, 8);
    c.score.has_sink = true;
    c.score.sink = 3;
    HeadData data(c);
    data.fill(random, 1);
    check_against_oracle({table, Way::sliced}, data, total);
    CHECK(total.rms() <= 1);
  }
}
