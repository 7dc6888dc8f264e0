// A20 and its kind: the two layouts of the rotary embedding, alone and inside a layer.
#include "bug_case.hpp"
#include "isas.hpp"

using namespace headwise;

namespace {

constexpr RotaryLayout layouts[] = {RotaryLayout::half_split, RotaryLayout::interleaved};

const char* name_of(RotaryLayout layout) {
  return layout == RotaryLayout::half_split ? "half_split" : "interleaved";
}

AttentionConfig rotary_config(std::int64_t heads, std::int64_t head_dim, std::int64_t dim, RotaryLayout layout) {
  AttentionConfig config;
  config.num_heads = heads;
  config.head_dim = head_dim;
  config.rotary.dim = dim;
  config.rotary.layout = layout;
  return config;
}

// Scores before any mask.
Tensor scores_of(const MultiHeadAttention& model, const AttentionInputs& inputs) {
  const std::int64_t batch = inputs.query.shape[0], rank = inputs.query.shape.rank();
  const std::int64_t queries = inputs.query.shape[int(rank) - 2], keys = inputs.key.shape[int(rank) - 2];
  Results results = make_results(model, inputs);
  Tensor scores({batch, model.config().num_heads, queries, keys});
  AttentionOutputs outputs = results.outputs();
  outputs.scores = scores.mutable_view();
  Session(model, {1, Schedule::automatic}).run(inputs, outputs);
  return scores;
}

// Where component c of an interleaved head stands in a half-split one of the same numbers.
std::int64_t half_split_place(std::int64_t c, std::int64_t dim) {
  return c >= dim ? c : c / 2 + c % 2 * (dim / 2);
}

// The rows of every head of a matrix or a bias, from the interleaved order to the half-split one.
Tensor reordered(const Tensor& from, std::int64_t head_dim, std::int64_t dim) {
  Tensor to(from.shape());
  const std::int64_t width = from.shape().rank() == 1 ? 1 : from.shape()[1];
  for (std::int64_t row = 0; row < from.shape()[0]; ++row) {
    const std::int64_t place = row / head_dim * head_dim + half_split_place(row % head_dim, dim);
    std::copy_n(from.data() + row * width, width, to.data() + place * width);
  }
  return to;
}

double largest_difference(const Tensor& a, const Tensor& b) {
  double largest = 0;
  for (std::int64_t i = 0; i < a.size(); ++i) {
    const double difference = std::fabs(double(a.data()[i]) - double(b.data()[i]));
    largest = difference <= largest ? largest : difference;
  }
  return largest;
}

}  // namespace

TEST_CASE("A20: apply_rotary turns the pairs of each layout") {
  const Json json = read_case("A20");
  const Tensor x = case_tensor(json["inputs"]["x"]);
  RotaryConfig config;
  config.dim = 4;
  config.base = json["inputs"]["theta"];
  const std::vector<double> turns = rotary_frequencies(config);
  Tensor cos({2, 2}), sin({2, 2}), ids(DType::i32, {1});
  for (std::int64_t i = 0; i < 4; ++i) cos.data()[i] = float(std::cos(double(i / 2) * turns[std::size_t(i % 2)]));
  for (std::int64_t i = 0; i < 4; ++i) sin.data()[i] = float(std::sin(double(i / 2) * turns[std::size_t(i % 2)]));
  for (const RotaryLayout layout : layouts) {
    const TensorView row(x.data(), DType::f32, {1, 1, 1, 4});
    Tensor turned({1, 1, 1, 4});
    ids.data<std::int32_t>()[0] = json["inputs"]["position"];
    apply_rotary({row, cos.view(), sin.view(), ids.view(), layout}, turned.mutable_view());
    check_expected(json, name_of(layout), turned);
    ids.data<std::int32_t>()[0] = 0;
    apply_rotary({row, cos.view(), sin.view(), ids.view(), layout}, turned.mutable_view());
    for (std::int64_t c = 0; c < 4; ++c) CHECK(turned.data()[c] == x.data()[c]);
  }
}

TEST_CASE("A20: a call turns queries and keys by their positions") {
  const Json json = read_case("A20");
  const Tensor x = case_tensor(json["inputs"]["x"]);
  Tensor unit({1, 1, 1, 4}), ids(DType::i64, {1}), key_ids(DType::i64, {1});
  ids.data<std::int64_t>()[0] = json["inputs"]["position"];
  for (const std::string& isa : running_isas()) {
    for (const RotaryLayout layout : layouts) {
      CAPTURE(isa);
      AttentionConfig config = rotary_config(1, 4, 4, layout);
      config.scale = 1.0F;
      const auto model = MultiHeadAttention::without_projections(config, {isa, false});
      for (std::int64_t c = 0; c < 4; ++c) {  // a unit key at position 0 reads component c of the query
        std::fill_n(unit.data(), 4, 0.0F);
        unit.data()[c] = 1;
        AttentionInputs inputs = inputs_of(TensorView(x.data(), DType::f32, {1, 1, 1, 4}), unit, unit);
        inputs.position_ids = ids.view();
        inputs.key_position_ids = key_ids.view();
        const double expected = json["expected"][name_of(layout)][std::size_t(c)];
        check_near(scores_of(model, inputs), {expected});
      }
    }
  }
}

TEST_CASE("A20: a layer of one layout is the layer of the other with the rows of its heads in another order") {
  Random random(20);
  for (const std::string& isa : running_isas()) {
    for (const auto& [head_dim, dim] : {std::pair{4, 4}, {8, 8}, {8, 6}, {17, 16}, {64, 64}, {33, 2}}) {
      CAPTURE(isa);
      CAPTURE(dim);
      AttentionWeights interleaved = random_weights(rotary_config(3, head_dim, dim, RotaryLayout::interleaved), 20);
      AttentionWeights half_split = interleaved;
      half_split.config.rotary.layout = RotaryLayout::half_split;
      for (Tensor AttentionWeights::*part : {&AttentionWeights::query_weight, &AttentionWeights::key_weight,
                                             &AttentionWeights::query_bias, &AttentionWeights::key_bias}) {
        half_split.*part = reordered(interleaved.*part, head_dim, dim);
      }
      const Tensor x = random_tensor(random, {2, 19, 3 * head_dim});
      const MultiHeadAttention a(interleaved, {isa, false}), b(half_split, {isa, false});
      CHECK(largest_difference(scores_of(a, inputs_of(x, x, x)), scores_of(b, inputs_of(x, x, x))) <= 4e-6);
      CHECK(largest_difference(run(a, inputs_of(x, x, x)).output, run(b, inputs_of(x, x, x)).output) <= 2e-6);
    }
  }
}

TEST_CASE("A20: scores depend on the distance of positions, not on where both stand") {
  Random random(21);
  for (const std::string& isa : running_isas()) {
    for (const RotaryLayout layout : layouts) {
      CAPTURE(isa);
      const auto model = MultiHeadAttention::without_projections(rotary_config(2, 10, 8, layout), {isa, false});
      const Tensor x = random_tensor(random, {1, 2, 12, 10});
      AttentionInputs inputs = inputs_of(x, x, x);
      const Tensor expected = scores_of(model, inputs);
      Tensor ids(DType::i32, {12});
      for (const std::int32_t first : {1, 100, 5000}) {
        for (std::int32_t i = 0; i < 12; ++i) ids.data<std::int32_t>()[i] = first + i;
        inputs.position_ids = ids.view();  // of the keys too
        CHECK(largest_difference(scores_of(model, inputs), expected) <= 4e-6);
      }
    }
  }
}

TEST_CASE("A20: given angles are those that are computed") {
  Random random(22);
  for (const std::string& isa : running_isas()) {
    CAPTURE(isa);
    AttentionConfig config = rotary_config(2, 12, 12, RotaryLayout::half_split);
    config.rotary.scaling = RotaryScaling::yarn;
    config.rotary.factor = 4;
    config.rotary.original_positions = 64;
    const auto model = MultiHeadAttention::without_projections(config, {isa, false});
    const Tensor x = random_tensor(random, {1, 2, 30, 12});
    AttentionInputs inputs = inputs_of(x, x, x);
    const Results expected = run(model, inputs);
    const std::vector<double> turns = rotary_frequencies(config.rotary);
    const double magnitude = rotary_magnitude(config.rotary);
    Tensor cos({30, 6}), sin({30, 6});
    for (std::int64_t n = 0; n < 180; ++n) {
      const double angle = double(n / 6) * turns[std::size_t(n % 6)];
      cos.data()[n] = float(magnitude * std::cos(angle));
      sin.data()[n] = float(magnitude * std::sin(angle));
    }
    inputs.rotary_cos = cos.view();
    inputs.rotary_sin = sin.view();
    CHECK(largest_difference(run(model, inputs).output, expected.output) <= 1e-6);
  }
}
