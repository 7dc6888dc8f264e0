#include "kernel_harness.hpp"

#include <algorithm>

#include "key_memory.hpp"

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

std::vector<Runner> runners() {
  std::vector<Runner> result;
  for (const auto* table : runnable_tables()) {
    result.push_back({table, Way::whole});
    if (table->few_queries > 0) result.push_back({table, Way::sliced});
  }
  return result;
}

HeadCase::HeadCase(std::int64_t lq, std::int64_t lk, std::int64_t d, std::int64_t dv)
    : queries(lq), keys(lk), head_dim(d), value_dim(dv) {
  mask.key_end = lk;
  mask.first_offset = -MaskForm::open;
  mask.last_offset = MaskForm::open;
  score.scale = 1;
}

MaskPlane byte_plane(const std::uint8_t* data, std::int64_t query_stride, std::int64_t key_stride, MaskKind kind) {
  MaskPlane plane{};
  plane.data = data;
  plane.query_stride = query_stride;
  plane.key_stride = key_stride;
  plane.kind = kind;
  return plane;
}

MaskPlane float_plane(const float* data, std::int64_t query_stride, std::int64_t key_stride) {
  MaskPlane plane{};
  plane.data = data;
  plane.query_stride = query_stride;
  plane.key_stride = key_stride;
  plane.kind = MaskKind::additive;
  plane.element = Element::f32;
  return plane;
}

namespace {

// The last row needs no padding behind it, so that the guard page follows its last element.
std::int64_t floats(std::int64_t rows, std::int64_t width, std::int64_t padding) {
  return rows == 0 ? 0 : rows * (width + padding) - padding;
}

std::shared_ptr<void> aligned(std::size_t bytes) {
  return {std::aligned_alloc(64, (bytes + 127) / 64 * 64), [](void* p) { std::free(p); }};
}

// All that a run needs beside the data.
struct Stage {
  HeadData& data;
  KeyMemory keys, values;
  HeadShape shape;
  std::shared_ptr<void> scratch;
  const KernelTable& table;
  std::vector<ChunkClass> classes[MaskForm::max_planes];

  Stage(const KernelTable& t, HeadData& d)
      : data(d),
        keys(d.shape, d.key, d.shape.head_dim),
        values(d.shape, d.value, d.shape.value_dim),
        shape{d.shape.keys, d.shape.head_dim, d.shape.value_dim, d.shape.element != Element::f32},
        scratch(aligned(t.scratch_bytes(shape))),
        table(t) {}

  AttendTask task(std::int64_t first, std::int64_t count, bool with_weights) {
    const HeadCase& c = data.shape;
    AttendTask task{};
    task.query = {&data.q(first, 0), c.head_dim + c.padding};
    task.key = keys.rows();
    task.value = values.rows();
    task.extra = {data.extra_key.data(), data.extra_value.data(), c.head_dim, c.value_dim, c.extra};
    task.output = {&data.o(first, 0), c.value_dim + c.padding};
    task.weights = {with_weights ? &data.w(first, 0) : nullptr, c.columns()};
    task.log_sum_exp = data.log_sum_exp.data() + first;
    task.shape = shape;
    task.first_query = first;
    task.num_queries = count;
    task.score = c.score;
    task.empty_row = c.empty_row;
    task.mask = c.mask;
    task.gate = c.gate;
    task.scratch = scratch.get();
    if (c.scanned) scan(task);
    return task;
  }
  void scan(AttendTask& task) {
    for (int p = 0; p < task.mask.num_planes; ++p) {
      classes[p].resize(std::size_t((shape.num_keys + scan_chunk - 1) / scan_chunk));
      table.scan(task.mask.planes[p], task, classes[p].data());
      task.mask.planes[p].classes = classes[p].data();
    }
  }
};

// Slices one after the other, each from where the last one ended.
void run_sliced(const KernelTable& table, const AttendTask& task) {
  std::vector<Slice> slices;
  std::vector<std::vector<float>> states;
  std::int64_t first = 0;
  do {
    states.emplace_back(std::size_t(slice_floats(task.num_queries, task.shape.value_dim)), std::nanf(""));
    slices.push_back({states.back().data(), -1});
    table.attend_slice(task, first, slices.back());
    first = slices.back().key_end;
  } while (first < task.shape.num_keys + task.extra.count);
  table.merge(task, slices.data(), std::int64_t(slices.size()));
}

}  // namespace

HeadData::HeadData(const HeadCase& c)
    : shape(c),
      query(floats(c.queries, c.head_dim, c.padding), c.at_end),
      key(floats(c.keys, c.head_dim, c.padding), c.at_end),
      value(floats(c.keys, c.value_dim, c.padding), c.at_end),
      output(floats(c.queries, c.value_dim, c.padding), c.at_end),
      weights(c.queries * c.columns(), c.at_end),
      extra_key(c.extra * c.head_dim, c.at_end),
      extra_value(c.extra * c.value_dim, c.at_end),
      log_sum_exp(std::size_t(c.queries)) {}

void HeadData::fill(Random& random, float size) {
  for (GuardedFloats* floats : {&query, &key, &value, &extra_key, &extra_value}) random.fill(*floats, -size, size);
  round_to(shape.element, key);
  round_to(shape.element, value);
}

void run(const KernelTable& table, HeadData& data, bool with_weights, Way way) {
  Stage stage(table, data);
  const std::int64_t block = way == Way::sliced ? table.few_queries : table.query_block;
  for (std::int64_t first = 0; first < data.shape.queries; first += block) {
    const AttendTask task = stage.task(first, std::min(block, data.shape.queries - first), with_weights);
    if (way == Way::sliced) {
      run_sliced(table, task);
    } else {
      table.attend(task);
    }
  }
}

void run_score(const KernelTable& table, HeadData& data, ScoreStage score_stage) {
  Stage stage(table, data);
  for (std::int64_t first = 0; first < data.shape.queries; first += table.query_block) {
    const std::int64_t count = std::min<std::int64_t>(table.query_block, data.shape.queries - first);
    table.score(stage.task(first, count, true), score_stage);
  }
}

void run_scan(const KernelTable& table, HeadData& data, int plane, std::vector<ChunkClass>& classes) {
  Stage stage(table, data);
  classes.resize(std::size_t((data.shape.keys + scan_chunk - 1) / scan_chunk));
  table.scan(data.shape.mask.planes[plane], stage.task(0, data.shape.queries, false), classes.data());
}

double score_of(HeadData& data, std::int64_t i, std::int64_t j, ScoreStage stage) {
  const HeadCase& c = data.shape;
  const ScoreForm& form = c.score;
  const double bias = j < c.keys ? double(mask_bias(c.mask, i, j)) : 0;
  if (stage == ScoreStage::masked && std::isinf(bias)) return bias;
  double score = 0;
  for (std::int64_t x = 0; x < c.head_dim; ++x) score += double(data.q(i, x)) * double(data.all_keys(j, x));
  score *= double(form.scale);
  if (stage == ScoreStage::scaled) return score;
  if (form.softcap != 0) score = double(form.softcap) * std::tanh(score / double(form.softcap));
  if (stage == ScoreStage::capped || j >= c.keys) return score;
  const std::int64_t distance = i + form.query_offset - j;
  score -= double(form.alibi_slope) * double(std::abs(distance));
  if (form.relative != nullptr)
    score += double(form.relative[std::clamp(distance, -form.max_distance, form.max_distance)]);
  return score + bias;
}

HeadTruth expected(HeadData& data) {
  const HeadCase& c = data.shape;
  HeadProblem problem;
  problem.queries = c.queries;
  problem.columns = c.columns();
  problem.value_dim = c.value_dim;
  problem.score = [&](auto i, auto j) { return score_of(data, i, j, ScoreStage::masked); };
  problem.value = [&](auto j, auto x) { return double(data.all_values(j, x)); };
  problem.has_sink = c.score.has_sink;
  problem.sink = double(c.score.sink);
  problem.gate = double(c.gate);
  return solve(problem);
}

namespace {

// The largest error of the log-sum-exps, relative to the size of what they add up.
double log_sum_error(HeadData& data, const HeadTruth& truth) {
  double largest = 0;
  for (std::size_t i = 0; i < truth.log_sum_exp.size(); ++i) {
    const double expect = truth.log_sum_exp[i];
    if (std::isinf(expect) && data.log_sum_exp[i] == expect) continue;
    const double error = std::fabs(data.log_sum_exp[i] - expect) / std::max(1.0, std::fabs(expect));
    largest = error <= largest ? largest : error;
  }
  return largest;
}

}  // namespace

void check_against_oracle(const Runner& runner, HeadData& data, UnitError& total) {
  const HeadCase& c = data.shape;
  for (float& x : data.weights) x = std::nanf("");
  runner(data, true);
  const HeadTruth truth = expected(data);
  UnitError output;
  double weights = 0;
  for (std::int64_t i = 0; i < c.queries; ++i) {
    for (std::int64_t x = 0; x < c.value_dim; ++x) {
      const auto at = std::size_t(i * c.value_dim + x);
      output.add(double(data.o(i, x)), truth.output[at], truth.unit[at]);
    }
    for (std::int64_t j = 0; j < c.columns(); ++j) {
      const double error = std::fabs(double(data.w(i, j)) - truth.weights[std::size_t(i * c.columns() + j)]);
      weights = error <= weights ? weights : error;
    }
  }
  const std::string kernel = runner.name();
  CAPTURE(kernel);
  CAPTURE(c.queries);
  CAPTURE(c.keys);
  CAPTURE(c.head_dim);
  CAPTURE(c.value_dim);
  CHECK(output.max <= 8);
  CHECK(weights <= 8 * 0x1p-23);
  CHECK(log_sum_error(data, truth) <= 8 * 0x1p-23);
  total.add(output);
}
