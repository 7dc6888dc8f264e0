// The check that a file keeps beside a layer: it passes for the layer that was stored, whatever its layout, and for no
// other that loads from the same tensors.
#include <algorithm>
#include <cmath>

#include "expect_error.hpp"
#include "headwise/weight_layouts.hpp"
#include "loading.hpp"
#include "same_weights.hpp"
#include "stored_layer.hpp"

using namespace headwise;

namespace {

const std::vector<std::string> names{"w_q", "w_k", "w_v", "w_o"};

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? "\\\"" : std::string(1, c);
  return result + "\"";
}

// A file with these tensors and this check for the layer under the prefix.
std::string file_with(const std::vector<NamedTensor>& tensors, const std::string& prefix, const std::string& check) {
  std::string bytes = safetensors_file(tensors);
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  std::string header = bytes.substr(8, length);
  header.insert(1, "\"__metadata__\":{" + quoted(stored_check_key(prefix)) + ":" + quoted(check) + "},");
  return safetensors_bytes(header, bytes.substr(8 + length));
}

AttentionWeights load_with(const std::vector<NamedTensor>& tensors, const std::string& check,
                           const LoadOptions& options = with_heads(3)) {
  const TemporaryFolder folder;
  return load_attention(folder.write("m.safetensors", file_with(tensors, "a.", check)), options);
}

void refused(const std::vector<std::string>& words, const AttentionWeights& layer, const std::string& check,
             const LoadOptions& options = with_heads(3)) {
  CAPTURE(check.substr(0, 200));
  const auto tensors = four_linears(layer, "a.", names);
  expect_error(ErrorCode::bad_file, words, [&] { load_with(tensors, check, options); });
  LoadOptions off = options;
  off.stored_check = StoredCheck::off;
  CHECK_NOTHROW(load_with(tensors, check, off));
}

void transpose(Tensor& matrix) {
  const std::int64_t size = matrix.shape()[0];
  for (std::int64_t row = 0; row < size; ++row) {
    for (std::int64_t column = 0; column < row; ++column) {
      std::swap(matrix.data()[row * size + column], matrix.data()[column * size + row]);
    }
  }
}

void swap_rows(Tensor& tensor, std::int64_t first, std::int64_t second) {
  const std::int64_t width = tensor.size() / tensor.shape()[0];
  std::swap_ranges(tensor.data() + first * width, tensor.data() + (first + 1) * width, tensor.data() + second * width);
}

}  // namespace

TEST_CASE("a layer passes its own check, from every layout") {
  const AttentionWeights layer = square_layer();
  const std::string check = stored_check_for(layer);
  check_same(load_with(four_linears(layer, "a.", names), check), layer);
  check_same(load_with(torch_packed(layer, "a."), check), layer);
  check_same(load_with(torch_separate(layer, "a."), check), layer);
}

TEST_CASE("the text of a check is the same on every machine") {
  AttentionConfig config;
  config.model_dim = 2;
  config.num_heads = 1;
  AttentionWeights layer = random_weights(config, 1);
  for (Tensor* weight : {&layer.query_weight, &layer.key_weight, &layer.value_weight, &layer.output_weight}) {
    std::fill_n(weight->data(), 4, 0.0F);
  }
  layer.query_bias = layer.key_bias = layer.value_bias = layer.output_bias = Tensor();
  CHECK(stored_check_for(layer) == R"({"version":1,"num_heads":1,"num_kv_heads":1,"sums":[0,0,0,0,0]})");
}

TEST_CASE("a matrix transposed, two rows or two matrices exchanged, and any bias are noticed") {
  const AttentionWeights layer = square_layer();
  const std::string check = stored_check_for(layer);
  using Part = Tensor AttentionWeights::*;
  const std::pair<Part, const char*> parts[] = {
      {&AttentionWeights::query_weight, "the query"}, {&AttentionWeights::key_weight, "the key"},
      {&AttentionWeights::value_weight, "the value"}, {&AttentionWeights::output_weight, "the output"},
      {&AttentionWeights::query_bias, "the query"},   {&AttentionWeights::output_bias, "the output"}};
  for (const auto& [part, word] : parts) {
    AttentionWeights changed = layer;
    swap_rows(changed.*part, 1, 4);
    refused({"fails at", word, "'a.'", "StoredCheck::off"}, changed, check);
    if ((layer.*part).shape().rank() == 1) continue;
    changed = layer;
    transpose(changed.*part);
    refused({"fails at", word}, changed, check);
  }
  AttentionWeights exchanged = layer;
  std::swap(exchanged.query_weight, exchanged.key_weight);
  refused({"the query"}, exchanged, check);
  exchanged = layer;
  std::swap(exchanged.key_weight, exchanged.value_weight);
  refused({"the key"}, exchanged, check);
}

TEST_CASE("one weight that differs a little is noticed, and other heads") {
  AttentionWeights layer = square_layer();
  const std::string check = stored_check_for(layer);
  refused({"3 heads on 3 key/value heads", "has 2 heads"}, layer, check, with_heads(2));
  float& weight = layer.output_weight.data()[7];
  weight *= 1.0001F;
  refused({"the output"}, layer, check);
}

TEST_CASE("the order of heads is noticed where every matrix agrees with it") {
  // Heads of the query and the output exchanged alike give the same output: the sums of the query tell.
  AttentionWeights layer = square_layer();
  const std::string check = stored_check_for(layer);
  swap_rows(layer.query_weight, 0, 2);
  swap_rows(layer.query_weight, 1, 3);
  refused({"the query"}, layer, check);
}

TEST_CASE("a wrong family of a fused matrix is noticed") {
  AttentionConfig config;
  config.model_dim = 16;
  config.num_heads = 4;
  const AttentionWeights layer = random_weights(config, 2);
  std::vector<NamedTensor> tensors = torch_packed(layer, "a.");
  const char* stored[] = {"a.query_key_value.weight", "a.dense.weight", "a.query_key_value.bias", "a.dense.bias"};
  for (std::size_t i = 0; i < 4; ++i) tensors[i].name = stored[i];
  LoadOptions options = with_heads(4);
  options.family = "chatglm";
  check_same(load_with(tensors, stored_check_for(layer), options), layer);
  options.family = "bloom";
  expect_error(ErrorCode::bad_file, {"fails at the query"},
               [&] { load_with(tensors, stored_check_for(layer), options); });
}

TEST_CASE("norms and sinks are part of it; scale, positions and pruning are not") {
  AttentionWeights layer = square_layer();
  layer.sinks = Tensor({3});
  const std::string check = stored_check_for(layer);
  auto tensors = four_linears(layer, "a.", names);
  tensors.push_back({"a.sinks", layer.sinks});
  LoadOptions options = with_heads(3);
  options.scale = 7.0F;
  options.softcap = 2.0F;
  options.rotary = RotaryConfig{};
  options.rotary->dim = 2;
  options.keep_heads = {1};
  CHECK(load_with(tensors, check, options).config.num_heads == 1);
  tensors.back().tensor.data()[1] = 0.5F;
  expect_error(ErrorCode::bad_file, {"sinks"}, [&] { load_with(tensors, check, options); });
}

TEST_CASE("weights that are not finite are checked as such") {
  AttentionWeights layer = square_layer();
  layer.query_weight.data()[3] = NAN;
  const std::string check = stored_check_for(layer);
  CHECK(check.find("null") != std::string::npos);
  CHECK_NOTHROW(load_with(four_linears(layer, "a.", names), check));
  refused({"the query"}, square_layer(), check);
}

TEST_CASE("a check can be required") {
  const AttentionWeights layer = square_layer();
  LoadOptions options = with_heads(3);
  options.stored_check = StoredCheck::required;
  CHECK_NOTHROW(load_with(four_linears(layer, "a.", names), stored_check_for(layer), options));
  expect_error(ErrorCode::bad_file, {"'b.'", "required", "none"},
               [&] { load_with(four_linears(layer, "b.", names), stored_check_for(layer), options); });
}

TEST_CASE("half-precision weights are checked as what they are widened to") {
  const AttentionWeights layer = square_layer();
  auto tensors = four_linears(layer, "a.", names);
  for (NamedTensor& named : tensors) named.tensor = convert(named.tensor, DType::bf16);
  AttentionWeights rounded = layer;
  Tensor* parts[] = {&rounded.query_weight, &rounded.key_weight, &rounded.value_weight, &rounded.output_weight,
                     &rounded.query_bias,   &rounded.key_bias,   &rounded.value_bias,   &rounded.output_bias};
  for (Tensor* part : parts) *part = convert(*part, DType::bf16);
  CHECK_NOTHROW(load_with(tensors, stored_check_for(rounded)));
  expect_error(ErrorCode::bad_file, {"the query"}, [&] { load_with(tensors, stored_check_for(layer)); });
}

TEST_CASE("a text that is no check is refused, whatever it holds") {
  const AttentionWeights layer = square_layer();
  const std::string good = stored_check_for(layer);
  for (const std::string& text :
       {std::string(), std::string("x"), std::string("[]"), std::string("{}"), good + " x", good.substr(1),
        std::string("{\"version\":2") + good.substr(12), std::string(R"({"version":1,"num_heads":3,"num_kv_heads":3})"),
        std::string(R"({"version":1,"num_heads":3,"num_kv_heads":3,"sums":[1,2,3,4]})"),
        std::string(R"({"version":1,"num_heads":3,"num_kv_heads":3,"sums":[1,2,3,4,"5"]})"),
        std::string(R"({"version":1,"num_heads":-3,"num_kv_heads":3,"sums":[1,2,3,4,5]})"),
        std::string(R"({"version":1,"num_heads":3,"num_kv_heads":3,"sums":[1e999,2,3,4,5]})"),
        std::string(R"({"version":1,"num_heads":3,"num_kv_heads":3,"sums":[1,2,3,4,5],"more":0})"),
        std::string(5000, '['), good + std::string(5000, ' ')}) {
    refused({"damaged or of a later version"}, layer, text);
  }
}

TEST_CASE("a caller's layer without a matrix, or with a part of another size, is refused before it is read") {
  const TemporaryFolder folder;
  const AttentionWeights good = square_layer();
  const std::string path =
      folder.write("m.safetensors", file_with(four_linears(good, "a.", names), "a.", stored_check_for(good)));
  const WeightFile file = WeightFile::open(path);
  CHECK_NOTHROW(check_stored(file, "a.", good));
  const auto refuse_part = [&](Tensor AttentionWeights::*part, const Tensor& other) {
    AttentionWeights bad = good;
    bad.*part = other;
    expect_error(ErrorCode::invalid_argument, {"expected shape"}, [&] { stored_check_for(bad); });
    expect_error(ErrorCode::invalid_argument, {"expected shape"}, [&] { check_stored(file, "a.", bad); });
  };
  for (const auto matrix : {&AttentionWeights::query_weight, &AttentionWeights::key_weight,
                            &AttentionWeights::value_weight, &AttentionWeights::output_weight}) {
    refuse_part(matrix, Tensor());
    refuse_part(matrix, Tensor({5, 6}));
    refuse_part(matrix, Tensor({36}));
  }
  for (const auto vector : {&AttentionWeights::query_bias, &AttentionWeights::output_bias, &AttentionWeights::key_norm,
                            &AttentionWeights::sinks}) {
    refuse_part(vector, Tensor({1}));
    refuse_part(vector, Tensor(Dims{}));
  }
}
