// The instruction set that was asked for is the one that runs.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <iterator>
#include <set>
#include <sstream>

#include "attend.hpp"
#include "calls.hpp"
#include "isas.hpp"

using namespace headwise;

namespace {

std::set<std::string> features_of(const kernels::KernelTable& table) {
  std::istringstream words(table.features);
  return {std::istream_iterator<std::string>(words), {}};
}

// All heads of a call through one table, a block of queries after the other.
Tensor attend_directly(const kernels::KernelTable& table, const Tensor& q, const Tensor& k, const Tensor& v) {
  const std::int64_t rows = q.shape()[2], d = q.shape()[3], dv = v.shape()[3];
  kernels::AttendTask task{};
  task.shape = {k.shape()[2], d, dv};
  task.score.scale = float(1 / std::sqrt(double(d)));
  task.mask.key_end = task.shape.num_keys;
  Tensor scratch(DType::u8, {static_cast<std::int64_t>(table.scratch_bytes(task.shape)) + 64});
  task.scratch = scratch.data<std::uint8_t>();
  Tensor output({q.shape()[0], q.shape()[1], rows, dv});
  for (std::int64_t head = 0; head < q.shape()[0] * q.shape()[1]; ++head) {
    for (task.first_query = 0; task.first_query < rows; task.first_query += table.query_block) {
      task.num_queries = std::min<std::int64_t>(table.query_block, rows - task.first_query);
      task.query = {q.data() + (head * rows + task.first_query) * d, d};
      task.key = {k.data() + head * task.shape.num_keys * d, d};
      task.value = {v.data() + head * task.shape.num_keys * dv, dv};
      task.output = {output.data() + (head * rows + task.first_query) * dv, dv};
      table.attend(task);
    }
  }
  return output;
}

}  // namespace

TEST_CASE("isa: the list of instruction sets, and which ones these tests skip") {
  const std::vector<IsaInfo> list = list_isas();
  REQUIRE_FALSE(list.empty());
  CHECK(list.back().name == "reference");
  CHECK(list.back().present);
  for (const IsaInfo& isa : list) {
    CHECK(isa.compiled);
    if (!isa.present) std::printf("isa: skipped %s, which this CPU lacks\n", isa.name.c_str());
  }
  CHECK(resolve_isa("auto") == running_isas().front());
}

TEST_CASE("isa: the forced one runs, bit for bit that of its own kernel table") {
  Random random(1);
  const Tensor q = random_tensor(random, {2, 3, 70, 24}), k = random_tensor(random, {2, 3, 410, 24}),
               v = random_tensor(random, {2, 3, 410, 19});
  const AttentionInputs inputs = inputs_of(q, k, v);
  for (const std::string& isa : running_isas()) {
    CAPTURE(isa);
    const MultiHeadAttention model = heads_model(inputs, isa);
    CHECK(std::string(model.isa()) == isa);
    CHECK(resolve_isa(isa) == isa);
    Results results = make_results(model, inputs);
    Session session(model, {1, Schedule::automatic});
    session.run(inputs, results.outputs());
    CHECK(session.explain(inputs, results.outputs()).isa == isa);
    const kernels::KernelTable* table = kernels::find_kernels(isa.c_str());
    REQUIRE(table != nullptr);
    CHECK(same_bits(results.output, attend_directly(*table, q, k, v)));
  }
}

TEST_CASE("isa: a table is compiled for nothing that its check does not ask the CPU for") {
  const std::set<std::string> checked = {"sse2", "avx2", "fma", "avx512f", "avx512cd", "avx512dq", "avx512bw", "neon"};
  const kernels::KernelList list = kernels::compiled_kernels();
  for (int i = 0; i < list.count; ++i) {
    CAPTURE(list.tables[i]->isa);
    for (const std::string& feature : features_of(*list.tables[i])) {
      CAPTURE(feature);
      CHECK(checked.count(feature) == 1);
    }
  }
}

TEST_CASE("isa: a feature that nobody knows counts as absent") {
  kernels::KernelTable table = *kernels::find_kernels("reference");
  CHECK(kernels::cpu_supports(table));
  for (const char* features : {"avx1024", "sse", "av", "neo", "sse22"}) {
    table.features = features;
    CHECK_FALSE(kernels::cpu_supports(table));
  }
}

TEST_CASE("explain: steps, schedule and text") {
  AttentionConfig config;
  config.model_dim = 64;
  config.num_heads = 4;
  const MultiHeadAttention model(random_weights(config, 1), {"reference", false});
  const Tensor x({2, 10, 64}), y({2, 20, 64});
  Results results = make_results(model, inputs_of(x, x, x), {true, false});
  const Session session(model, {2, Schedule::automatic});
  const Explanation fused = session.explain(inputs_of(x, x, x), results.outputs());
  results = make_results(model, inputs_of(x, y, y));
  const Explanation cross = session.explain(inputs_of(x, y, y), results.outputs());
  const auto names = [](const Explanation& plan) {
    std::string all;
    for (const StepInfo& step : plan.steps) all += step.name + " ";
    return all;
  };
  CHECK(names(fused) == "ProjectQkv Attend ProjectOutput ");
  CHECK(names(cross) == "ProjectQuery ProjectKey ProjectValue Attend ProjectOutput ");
  CHECK(fused.schedule == "inline");
  CHECK(fused.steps[0].flops == 2.0 * 20 * 64 * 192);
  CHECK(cross.steps[3].flops == 2.0 * 2 * 4 * 10 * 20 * 32);
  for (const char* word : {"reference", "inline", "ProjectQkv", "MFLOP", "scratch"}) {
    CHECK(fused.to_string().find(word) != std::string::npos);
  }
}
