#include "kernel_harness.hpp"

#include <algorithm>

using namespace headwise::kernels;

std::vector<const KernelTable*> runnable_tables() {
  std::vector<const KernelTable*> result;
  const KernelList list = compiled_kernels();
  for (int i = 0; i < list.count; ++i) {
    if (cpu_supports(*list.tables[i])) {
      result.push_back(list.tables[i]);
    } else {
      MESSAGE("skipped on this CPU: " << std::string(list.tables[i]->isa));
    }
  }
  return result;
}

HeadCase::HeadCase(std::int64_t lq, std::int64_t lk, std::int64_t d, std::int64_t dv)
    : queries(lq), keys(lk), head_dim(d), value_dim(dv) {
  mask.key_end = lk;
  mask.causal_offset = MaskForm::not_causal;
}

namespace {

// The last row needs no padding behind it, so that the guard page follows its last element.
std::int64_t floats(std::int64_t rows, std::int64_t width, std::int64_t padding) {
  return rows == 0 ? 0 : rows * (width + padding) - padding;
}

std::shared_ptr<void> aligned(std::size_t bytes) {
  return {std::aligned_alloc(64, (bytes + 127) / 64 * 64), [](void* p) { std::free(p); }};
}

AttendTask task_for(HeadData& data, std::int64_t first, std::int64_t count, bool with_weights, void* scratch) {
  const HeadCase& c = data.shape;
  AttendTask task{};
  task.query = {&data.q(first, 0), c.head_dim + c.padding};
  task.key = {data.key.data(), c.head_dim + c.padding};
  task.value = {data.value.data(), c.value_dim + c.padding};
  task.output = {&data.o(first, 0), c.value_dim + c.padding};
  task.weights = {with_weights ? &data.w(first, 0) : nullptr, c.keys};
  task.shape = {c.keys, c.head_dim, c.value_dim};
  task.first_query = first;
  task.num_queries = count;
  task.scale = c.scale;
  task.empty_row = c.empty_row;
  task.mask = c.mask;
  task.scratch = scratch;
  return task;
}

}  // namespace

HeadData::HeadData(const HeadCase& c)
    : shape(c),
      query(floats(c.queries, c.head_dim, c.padding), c.at_end),
      key(floats(c.keys, c.head_dim, c.padding), c.at_end),
      value(floats(c.keys, c.value_dim, c.padding), c.at_end),
      output(floats(c.queries, c.value_dim, c.padding), c.at_end),
      weights(c.queries * c.keys, c.at_end) {}

void HeadData::fill(Random& random, float size) {
  random.fill(query, -size, size);
  random.fill(key, -size, size);
  random.fill(value, -size, size);
}

void run(const KernelTable& table, HeadData& data, bool with_weights) {
  const HeadCase& c = data.shape;
  const auto scratch = aligned(table.scratch_bytes({c.keys, c.head_dim, c.value_dim}));
  for (std::int64_t first = 0; first < c.queries; first += table.query_block) {
    const std::int64_t count = std::min<std::int64_t>(table.query_block, c.queries - first);
    table.attend(task_for(data, first, count, with_weights, scratch.get()));
  }
}

OracleResult expected(HeadData& data) {
  OracleHead head;
  const HeadCase& c = data.shape;
  head.queries = c.queries;
  head.keys = c.keys;
  head.head_dim = c.head_dim;
  head.value_dim = c.value_dim;
  head.scale = double(c.scale);
  head.query = [&](auto i, auto x) { return double(data.q(i, x)); };
  head.key = [&](auto j, auto x) { return double(data.k(j, x)); };
  head.value = [&](auto j, auto x) { return double(data.v(j, x)); };
  head.bias = [&](auto i, auto j) { return double(mask_bias(c.mask, i, j)); };
  return oracle(head);
}

void check_against_oracle(const KernelTable& table, HeadData& data, UnitError& total) {
  const HeadCase& c = data.shape;
  run(table, data, true);
  const OracleResult truth = expected(data);
  UnitError output;
  double weights = 0;
  for (std::int64_t i = 0; i < c.queries; ++i) {
    for (std::int64_t x = 0; x < c.value_dim; ++x) {
      const auto at = std::size_t(i * c.value_dim + x);
      output.add(double(data.o(i, x)), truth.output[at], truth.unit[at]);
    }
    for (std::int64_t j = 0; j < c.keys; ++j) {
      const double error = std::fabs(double(data.w(i, j)) - truth.weights[std::size_t(i * c.keys + j)]);
      weights = error <= weights ? weights : error;
    }
  }
  const std::string isa = table.isa;
  CAPTURE(isa);
  CAPTURE(c.queries);
  CAPTURE(c.keys);
  CAPTURE(c.head_dim);
  CAPTURE(c.value_dim);
  CHECK(output.max <= 8);
  CHECK(weights <= 8 * 0x1p-23);
  total.add(output);
}
