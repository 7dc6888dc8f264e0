// The same layer must load to the same bits from every layout.
#include "expect_error.hpp"
#include "headwise/weight_layouts.hpp"
#include "loading.hpp"
#include "same_weights.hpp"
#include "written_layouts.hpp"

using namespace headwise;
using namespace written;

namespace {

void check_layout(const Stored& stored, const AttentionWeights& layer) {
  CAPTURE(stored.family);
  CAPTURE(stored.weights[0]);
  CAPTURE(to_string(layer.query_weight.shape()));
  CAPTURE(to_string(layer.key_weight.shape()));
  const std::vector<NamedTensor> tensors = file_of(stored, layer);
  const AttentionWeights found = loaded(stored, tensors, with_heads(4));
  check_same(found, layer);
  CHECK(found.config.num_kv_heads == layer.config.num_kv_heads);
  LoadOptions named = with_heads(4);
  named.family = stored.family;
  named.use_model_config = false;
  check_same(load(tensors, named), layer);
}

// With all biases, with none, and with that of the output alone where a family has such layers.
void check_with_biases(const Stored& stored, AttentionWeights layer) {
  check_layout(stored, layer);
  layer.query_bias = layer.key_bias = layer.value_bias = Tensor();
  if (stored.input_biases_optional) check_layout(stored, layer);
  layer.output_bias = Tensor();
  check_layout(stored, layer);
}

}  // namespace

TEST_CASE("every layout loads to the bits of the layer that was stored") {
  for (const Stored& stored : all_layouts()) {
    check_with_biases(stored, layer_of(16, 4, 4));
    check_with_biases(stored, layer_of(10, 6, 4));
    if (stored.grouped) check_with_biases(stored, layer_of(16, 4, 2));
    if (stored.grouped) check_with_biases(stored, layer_of(10, 6, 1));
  }
}

TEST_CASE("every family that loads is among the layouts tested, and no other") {
  std::vector<std::string> tested{"torch_mha_separate", "t5", "chatglm"};  // in tests of their own
  for (const Stored& stored : all_layouts()) tested.push_back(stored.family);
  for (const FamilyRow& row : list_families()) {
    CAPTURE(row.family);
    const bool is_tested = std::find(tested.begin(), tested.end(), row.family) != tested.end();
    CHECK(is_tested == row.refusal.empty());
  }
}

TEST_CASE("ChatGLM orders what BLOOM interleaves by blocks") {
  Stored stored = fused("chatglm", {"query_key_value", "dense"}, query_key_value);
  AttentionWeights layer = layer_of(16, 4, 2);
  layer.output_bias = Tensor();
  LoadOptions options = with_heads(4);
  options.rotary = RotaryConfig{};
  stored.config = "\"model_type\": \"chatglm\"";
  check_same(loaded(stored, file_of(stored, layer), options), layer);
}

TEST_CASE("heads that are an axis of their own need not be given") {
  const AttentionWeights layer = layer_of(10, 6, 2);
  const auto tensors = file_of(dense("keras", {"query", "key", "value", "attention_output"}, "/", true), layer);
  check_same(load(tensors, {}), layer);
  expect_error(ErrorCode::invalid_argument, {"query/kernel'", "[10, 2, 12]", "[10, 4, 6]"},
               [&] { load(tensors, with_heads(2)); });
}

TEST_CASE("widths are told whatever the layout") {
  for (const Stored& stored : all_layouts()) {
    CAPTURE(stored.weights[0]);
    const TemporaryFolder folder;
    const auto tensors = file_of(stored, layer_of(10, 6, stored.grouped ? 2 : 4));
    const auto layers =
        find_attention_layers(WeightFile::open(folder.write("m.safetensors", safetensors_file(tensors))));
    REQUIRE(layers.size() == 1);
    CHECK(layers[0].widths.model == 10);
    CHECK(layers[0].widths.query == 24);
    CHECK(layers[0].widths.key == (stored.grouped ? 12 : 24));
    CHECK(layers[0].widths.output == 10);
    CHECK(layers[0].widths.num_heads == (stored.heads_apart ? 4 : 0));
  }
}
