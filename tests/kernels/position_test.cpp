// RMS norm and rotary turn of one row of tokens, against float64.
#include "kernel_harness.hpp"

using namespace headwise::kernels;

namespace {

struct Row {
  std::int64_t heads, head_dim, head_stride, rotary_dim;
  bool norm, interleaved;
};

template <class Number>
struct RowData {
  std::vector<Number> x, weight, cos, sin;
};

template <class Number>
RowData<Number> random_row(const Row& row, Random& random) {
  RowData<Number> data;
  for (std::int64_t i = 0; i < row.heads * row.head_stride; ++i) data.x.push_back(Number(random.uniform(-2, 2)));
  for (std::int64_t i = 0; i < row.head_dim; ++i) data.weight.push_back(Number(random.uniform(0.5F, 1.5F)));
  for (std::int64_t i = 0; i < row.rotary_dim / 2; ++i) {
    const double angle = double(random.uniform(-4, 4));
    data.cos.push_back(Number(std::cos(angle)));
    data.sin.push_back(Number(std::sin(angle)));
  }
  return data;
}

template <class Number>
void expect_head(const Row& row, const RowData<Number>& data, std::vector<double>& x) {
  double squares = 0;
  for (const double v : x) squares += v * v;
  const double factor = 1 / std::sqrt(squares / double(row.head_dim) + double(1e-5F));
  for (std::size_t c = 0; row.norm && c < x.size(); ++c) x[c] *= factor * double(data.weight[c]);
  const auto pairs = std::size_t(row.rotary_dim / 2);
  for (std::size_t i = 0; i < pairs; ++i) {
    double& a = x[row.interleaved ? 2 * i : i];
    double& b = x[row.interleaved ? 2 * i + 1 : i + pairs];
    const double before = a;
    a = before * double(data.cos[i]) - b * double(data.sin[i]);
    b = b * double(data.cos[i]) + before * double(data.sin[i]);
  }
}

template <class Number>
PositionTask task_for(const Row& row, RowData<Number>& data) {
  const auto floats = [](std::vector<Number>& numbers) { return reinterpret_cast<float*>(numbers.data()); };
  PositionTask task{};
  task.row = floats(data.x);
  task.heads = row.heads;
  task.head_stride = row.head_stride;
  task.head_dim = row.head_dim;
  task.norm = row.norm ? floats(data.weight) : nullptr;
  task.epsilon = 1e-5F;
  task.cos = row.rotary_dim > 0 ? floats(data.cos) : nullptr;
  task.sin = floats(data.sin);
  task.rotary_dim = row.rotary_dim;
  task.interleaved = row.interleaved;
  task.element = sizeof(Number) == 8 ? Element::f64 : Element::f32;
  return task;
}

// The largest error relative to the largest numbers that meet in a pair.
template <class Number>
double row_error(const KernelTable& table, const Row& row, Random& random) {
  RowData<Number> data = random_row<Number>(row, random);
  const std::vector<Number> before = data.x;
  table.position(task_for(row, data));
  double worst = 0;
  for (std::int64_t h = 0; h < row.heads; ++h) {
    const auto start = before.begin() + h * row.head_stride;
    std::vector<double> truth(start, start + row.head_dim);
    expect_head(row, data, truth);
    for (std::int64_t c = 0; c < row.head_stride; ++c) {
      const auto at = std::size_t(h * row.head_stride + c);
      const double expect = c < row.head_dim ? truth[std::size_t(c)] : double(before[at]);
      worst = std::max(worst, std::fabs(double(data.x[at]) - expect));
    }
  }
  return worst;
}

std::vector<Row> rows() {
  std::vector<Row> result;
  for (const std::int64_t dim : {2, 3, 8, 30, 64, 96, 128}) {
    for (const std::int64_t rotary : {std::int64_t(0), std::int64_t(2), dim / 4 * 2, dim / 2 * 2}) {
      for (const int flags : {0, 1, 2, 3}) {
        if (rotary <= dim) result.push_back({3, dim, dim + 5, rotary, (flags & 1) != 0, (flags & 2) != 0});
      }
    }
  }
  return result;
}

}  // namespace

TEST_CASE("position: norm, both rotary layouts, partial width; what lies between heads stays") {
  for (const auto* table : runnable_tables()) {
    Random random(41);
    for (const Row& row : rows()) {
      const std::string isa = table->isa;
      CAPTURE(isa);
      CAPTURE(row.head_dim);
      CAPTURE(row.rotary_dim);
      CHECK(row_error<float>(*table, row, random) <= 12 * 0x1p-23);
    }
  }
}

TEST_CASE("position: the reference computes in f64 when the row is f64") {
  Random random(42);
  for (const Row& row : rows()) CHECK(row_error<double>(*find_kernels("reference"), row, random) <= 12 * 0x1p-52);
}
