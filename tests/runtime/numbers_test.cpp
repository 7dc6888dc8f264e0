// Sizes and numbers that once broke other libraries: A22, A23, A25, A28, A32, A35, A37, A40 and their kind.

#include "bug_case.hpp"
#include "float64_attention.hpp"
#include "isas.hpp"
#include "linear.hpp"

using namespace headwise;

namespace {

void check_against_float64(const AttentionInputs& inputs, const std::string& isa) {
  const MultiHeadAttention model = heads_model(inputs, isa);
  const Results results = run(model, inputs);
  const Float64Results expected = attend_float64(model.config(), inputs);
  UnitError error;
  for (std::size_t i = 0; i < expected.output.size(); ++i) {
    add_error(error, double(results.output.data()[i]), expected.output[i], expected.unit[i]);
  }
  CHECK(error.max <= 8);
}

}  // namespace

TEST_CASE("A22: head sizes that are no multiple of a vector") {
  const auto file = WeightFile::open(std::string(HEADWISE_TEST_DATA) + "/cases/A22.safetensors");
  for (const std::string& isa : running_isas()) {
    for (const int d : {1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 40, 63, 65, 72, 80, 96, 136}) {
      CAPTURE(isa);
      CAPTURE(d);
      const std::string size = std::to_string(d);
      const Tensor q = file.read("q" + size), k = file.read("k" + size), v = file.read("v" + size);
      const Tensor expected = file.read("o" + size);
      const AttentionInputs inputs = inputs_of(q, k, v);
      const double* numbers = expected.data<double>();
      const Results results = run(heads_model(inputs, isa), inputs);
      check_near(results.output, std::vector<double>(numbers, numbers + expected.size()), 1e-5, 0);
    }
  }
}

TEST_CASE("A22: lengths 1 to 40 with d = 5") {
  Random random(22);
  for (const std::string& isa : running_isas()) {
    for (std::int64_t length = 1; length <= 40; ++length) {
      CAPTURE(isa);
      CAPTURE(length);
      const Tensor x = random_tensor(random, {1, 2, length, 5}), y = random_tensor(random, {1, 2, 41 - length, 5});
      check_against_float64(inputs_of(x, y, y), isa);
    }
  }
}

TEST_CASE("A23: every component of a long head takes part") {
  const Json json = read_case("A23");
  for (const std::string& isa : running_isas()) {
    for (const std::pair<int, int>& signal : {std::pair{128, 100}, {128, 127}, {256, 255}, {512, 511}}) {
      const int d = signal.first;
      const int at = signal.second;
      CAPTURE(isa);
      CAPTURE(d);
      Tensor query({1, 1, 1, d}), key({1, 1, 2, d}), value = filled({1, 1, 2, d}, 1);
      query.data()[at] = 4;
      key.data()[at] = 8;
      for (int c = 0; c < d; ++c) value.data()[d + c] = float(c) / 8;
      const AttentionInputs inputs = inputs_of(query, key, value);
      const Results results = run(heads_model(inputs, isa, 0.125F), inputs, {true, false});
      const Json& expected = json["expected"];
      check_near(rows_of(results.attention, 0, 1),
                 {expected["weight_key0"], 1 - expected["weight_key0"].get<double>()});
      for (const auto& [name, c] : {std::pair{"out_d0", 0}, {"out_d64", 64}, {"out_d127", 127}}) {
        const double right = expected[name];
        CHECK(std::fabs(double(results.output.data()[c]) - right) <= 1e-5 * (1 + right));
      }
    }
  }
}

TEST_CASE("A25: padded rows go into a product without their filler") {
  CaseCall call("A25");
  const Tensor x = call.tensor("x_padded_rows_of_64"), weight = call.tensor("weight_out_in");
  const Tensor dense = copy_of(TensorView(x.view().data, DType::f32, {3, 36}, {64, 1}));
  const projection::Linear linear(weight.data(), nullptr, {36, 5, 5});
  Tensor y({3, 5}), scratch(DType::u8, {static_cast<std::int64_t>(linear.scratch_bytes()) + 1});
  REQUIRE(projection::LinearCall(linear).run({dense.data(), 3, y.data()}, {}, scratch.data<std::uint8_t>()));
  std::vector<double> expected;
  append_numbers(call.json["expected"]["y"], expected);
  check_near(y, expected, 0, 0);
}

TEST_CASE("A25: a layer reads padded rows, and writes them, with the bits of dense ones") {
  Random random(25);
  AttentionConfig config;
  config.model_dim = 36;
  config.num_heads = 4;
  for (const std::int64_t length : {1, 3, 128, 129, 200}) {
    CAPTURE(length);
    const MultiHeadAttention model(random_weights(config, 25));
    Tensor memory = filled({2, length, 64}, std::numeric_limits<float>::quiet_NaN());
    const TensorView x = slice(memory.view(), 2, 0, 36);
    for (std::int64_t i = 0; i < 2 * length; ++i) random.fill(memory.data() + i * 64, 36, -1, 1);
    const Tensor dense = copy_of(x);
    const Results expected = run(model, inputs_of(dense, dense, dense));
    CHECK(same_bits(run(model, inputs_of(x, x, x)).output, expected.output));
    CHECK(same_bits(run(model, inputs_of(x, x, x), {}, {2, Schedule::deep}).output, expected.output));
  }
}

TEST_CASE("A25: products with one input feature") {
  Random random(251);
  for (const std::int64_t outputs : {16, 513}) {
    for (const std::int64_t rows : {1, 3}) {
      const Tensor stored = random_tensor(random, {outputs, 17}), x = random_tensor(random, {rows, 1});
      const Tensor weight = copy_of(slice(stored.view(), 1, 0, 1));
      const projection::Linear linear(weight.data(), nullptr, {1, outputs, outputs});
      Tensor y({rows, outputs}), scratch(DType::u8, {static_cast<std::int64_t>(linear.scratch_bytes()) + 1});
      REQUIRE(projection::LinearCall(linear).run({x.data(), rows, y.data()}, {}, scratch.data<std::uint8_t>()));
      for (std::int64_t i = 0; i < rows * outputs; ++i) {
        CHECK(y.data()[i] == x.data()[i / outputs] * weight.data()[i % outputs]);
      }
    }
  }
}

TEST_CASE("A28: keys and values that a batch shares through stride 0") {
  CaseCall call("A28");
  Random random(28);
  for (const std::string& isa : running_isas()) {
    CAPTURE(isa);
    const Tensor q = call.tensor("q"), k = call.tensor("k_shared"), v = call.tensor("v_shared");
    const auto shared = [](const Tensor& t) {
      return TensorView(t.view().data, DType::f32, {3, 1, t.shape()[2], 2}, {0, 0, 2, 1});
    };
    const AttentionInputs inputs = inputs_of(q, shared(k), shared(v));
    check_expected(call.json, "out", run(heads_model(inputs, isa), inputs).output);
    for (const std::int64_t keys : {1, 32, 33, 65, 193}) {
      const Tensor one = random_tensor(random, {1, 1, keys, 2});
      const AttentionInputs many = inputs_of(q, shared(one), shared(one));
      const Tensor copy = copy_of(shared(one));
      const MultiHeadAttention model = heads_model(many, isa);
      CHECK(same_bits(run(model, many).output, run(model, inputs_of(q, copy, copy)).output));
    }
  }
}
