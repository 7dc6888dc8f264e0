// Every layout of weight files, written here element by element from the page that describes them and not from the
// engine's table: the same layer must load to the same bits from each.
#include <functional>

#include "expect_error.hpp"
#include "headwise/weight_layouts.hpp"
#include "loading.hpp"
#include "same_weights.hpp"

using namespace headwise;

namespace {

// A row of a canonical matrix, or an element of a bias.
struct Row {
  const Tensor* tensor;
  std::int64_t index;
};

struct Matrices {
  const Tensor &query, &key, &value, &output;
};

void add_rows(std::vector<Row>& rows, const Tensor& tensor, std::int64_t first, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) rows.push_back({&tensor, first + i});
}

std::vector<Row> all_rows(const Tensor& tensor) {
  std::vector<Row> rows;
  add_rows(rows, tensor, 0, tensor.shape()[0]);
  return rows;
}

using Order = std::vector<Row> (*)(const Matrices&, const AttentionConfig&);

std::vector<Row> query_key_value(const Matrices& m, const AttentionConfig&) {
  std::vector<Row> rows;
  for (const Tensor* part : {&m.query, &m.key, &m.value}) add_rows(rows, *part, 0, part->shape()[0]);
  return rows;
}

std::vector<Row> key_value(const Matrices& m, const AttentionConfig&) {
  std::vector<Row> rows;
  for (const Tensor* part : {&m.key, &m.value}) add_rows(rows, *part, 0, part->shape()[0]);
  return rows;
}

// The queries of a key/value head, the key, the value; then those of the next.
std::vector<Row> groups(const Matrices& m, const AttentionConfig& c) {
  std::vector<Row> rows;
  for (std::int64_t h = 0; h < c.num_heads; ++h) {
    const std::int64_t group = c.num_heads / c.num_kv_heads, kv = h / group;
    add_rows(rows, m.query, h * c.head_dim, c.head_dim);
    if (h % group != group - 1) continue;
    add_rows(rows, m.key, kv * c.head_dim, c.head_dim);
    add_rows(rows, m.value, kv * c.head_dim, c.head_dim);
  }
  return rows;
}

// How one family stores a layer. The names of matrices, those of their biases, and where they differ from Linear.
struct Stored {
  std::string family;
  std::vector<std::string> weights, biases;  // of query, key, value, output; [query] [key and] value; output
  Order fused = nullptr;                     // of all three when there are two names, of the last two with three
  bool in_out = false, heads_apart = false, grouped = false;
  bool input_biases_optional = false;
  std::string config{};  // entries of config.json without which the layout is open
};

std::vector<std::string> with(const std::vector<std::string>& names, const std::string& end) {
  std::vector<std::string> result;
  for (const std::string& name : names) result.push_back(name + end);
  return result;
}

Stored linear(const std::string& family, const std::vector<std::string>& names) {
  return {family, with(names, ".weight"), with(names, ".bias"), nullptr, false, false, family == "linear4"};
}

Stored fused(const std::string& family, const std::vector<std::string>& names, Order order) {
  return {family, with(names, ".weight"), with(names, ".bias"), order};
}

Stored stacked(const std::vector<std::string>& names) {
  Stored stored = fused("qkv", names, query_key_value);
  stored.grouped = stored.input_biases_optional = true;
  return stored;
}

Stored conv1d(const std::vector<std::string>& names, Order order) {
  Stored stored = fused("gpt2", names, order);
  stored.in_out = true;
  return stored;
}

Stored dense(const std::string& family, const std::vector<std::string>& names, const std::string& separator,
             bool heads_apart) {
  return {family, with(names, separator + "kernel"), with(names, separator + "bias"), nullptr, true, heads_apart, true};
}

Stored interleaved(const std::string& family, bool grouped = false) {
  Stored stored = fused(family, {"query_key_value", "dense"}, groups);
  stored.config = "\"model_type\": \"" + family + "\"";
  stored.grouped = grouped;
  return stored;
}

std::vector<Stored> all_layouts() {
  std::vector<Stored> all;
  const char* linear4[] = {"w_q w_k w_v w_o",
                           "W_q W_k W_v W_o",
                           "wq wk wv wo",
                           "q_linear k_linear v_linear out",
                           "fc_q fc_k fc_v fc_o",
                           "query key value output",
                           "query key value dense",
                           "to_q to_k to_v to_out.0",
                           "q_proj k_proj v_proj out_proj",
                           "q_proj k_proj v_proj o_proj",
                           "linears.0 linears.1 linears.2 linears.3"};
  for (std::string text : linear4) {
    std::vector<std::string> names;
    for (std::size_t end; (end = text.find(' ')) != std::string::npos; text.erase(0, end + 1)) {
      names.push_back(text.substr(0, end));
    }
    names.push_back(text);
    all.push_back(linear("linear4", names));
  }
  all.push_back(linear("bert", {"self.query", "self.key", "self.value", "output.dense"}));
  all.push_back(linear("vit", {"attention.query", "attention.key", "attention.value", "output.dense"}));
  all.back().input_biases_optional = true;
  all.push_back(linear("distilbert", {"q_lin", "k_lin", "v_lin", "out_lin"}));
  all.push_back(linear("torch_mha", {"linear_Q", "linear_K", "linear_V", "out_proj"}));
  all.push_back(
      {"torch_mha", {"in_proj_weight", "out_proj.weight"}, {"in_proj_bias", "out_proj.bias"}, query_key_value});
  all.push_back(stacked({"qkv", "proj"}));
  all.push_back(stacked({"Wqkv", "Wo"}));
  all.push_back(stacked({"Wqkv", "out_proj"}));
  all.push_back(stacked({"qkv_proj", "o_proj"}));
  all.push_back(conv1d({"c_attn", "c_proj"}, query_key_value));
  all.push_back(conv1d({"q_attn", "c_attn", "c_proj"}, key_value));
  all.push_back(fused("nanogpt", {"c_attn", "c_proj"}, query_key_value));
  all.push_back(interleaved("bloom"));
  all.push_back(interleaved("gpt_neox"));
  all.push_back(interleaved("falcon", true));
  for (const bool apart : {false, true}) {
    for (const char* separator : {".", "/"}) {
      all.push_back(dense("keras", {"query", "key", "value", "attention_output"}, separator, apart));
      all.push_back(dense("flax", {"query", "key", "value", "out"}, separator, apart));
    }
  }
  all.push_back({"keras", with({"query_dense", "key_dense", "value_dense", "output_dense"}, "/vars/0"),
                 with({"query_dense", "key_dense", "value_dense", "output_dense"}, "/vars/1"), nullptr, true, true,
                 true});
  return all;
}

Tensor gathered(const std::vector<Row>& rows, bool in_out) {
  const auto out = static_cast<std::int64_t>(rows.size());
  const Dims& shape = rows[0].tensor->shape();
  if (shape.rank() == 1) {
    Tensor bias({out});
    for (std::int64_t o = 0; o < out; ++o)
      bias.data()[o] = rows[static_cast<std::size_t>(o)].tensor->data()[rows[static_cast<std::size_t>(o)].index];
    return bias;
  }
  const std::int64_t in = shape[1];
  Tensor matrix(in_out ? Dims{in, out} : Dims{out, in});
  for (std::int64_t o = 0; o < out; ++o) {
    const Row& row = rows[static_cast<std::size_t>(o)];
    for (std::int64_t i = 0; i < in; ++i) {
      matrix.data()[in_out ? i * out + o : o * in + i] = row.tensor->data()[row.index * in + i];
    }
  }
  return matrix;
}

Tensor in_shape(const Tensor& tensor, const Dims& shape) {
  return convert(TensorView(tensor.view().data, tensor.dtype(), shape), tensor.dtype());
}

// [in, heads·d] as [in, heads, d], [heads·d] as [heads, d], and the output's [heads·d, out] as [heads, d, out].
Tensor with_heads_apart(const Tensor& tensor, std::int64_t heads, bool is_output) {
  const Dims& s = tensor.shape();
  if (s.rank() == 1) return is_output ? tensor : in_shape(tensor, {heads, s[0] / heads});
  return in_shape(tensor, is_output ? Dims{heads, s[0] / heads, s[1]} : Dims{s[0], heads, s[1] / heads});
}

std::vector<std::vector<Row>> contents(const Stored& stored, const Matrices& m, const AttentionConfig& config) {
  if (stored.weights.size() == 2) return {stored.fused(m, config), all_rows(m.output)};
  if (stored.weights.size() == 3) return {all_rows(m.query), stored.fused(m, config), all_rows(m.output)};
  return {all_rows(m.query), all_rows(m.key), all_rows(m.value), all_rows(m.output)};
}

void write(std::vector<NamedTensor>& file, const Stored& stored, const std::vector<std::string>& names,
           const Matrices& m, const AttentionConfig& config) {
  const auto parts = contents(stored, m, config);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].empty()) continue;  // no such bias
    Tensor tensor = gathered(parts[i], stored.in_out);
    const bool is_output = i + 1 == parts.size(), is_query = i == 0;
    const std::int64_t heads = is_output || is_query ? config.num_heads : config.num_kv_heads;
    if (stored.heads_apart) tensor = with_heads_apart(tensor, heads, is_output);
    file.push_back({"model.layers.3.attn." + names[i], tensor});
  }
}

std::vector<NamedTensor> file_of(const Stored& stored, const AttentionWeights& w) {
  std::vector<NamedTensor> file;
  write(file, stored, stored.weights, {w.query_weight, w.key_weight, w.value_weight, w.output_weight}, w.config);
  if (w.query_bias.given()) {
    write(file, stored, stored.biases, {w.query_bias, w.key_bias, w.value_bias, w.output_bias}, w.config);
  } else if (w.output_bias.given()) {
    file.push_back({"model.layers.3.attn." + stored.biases.back(), w.output_bias});
  }
  return file;
}

AttentionWeights layer_of(std::int64_t width, std::int64_t head_dim, std::int64_t kv_heads) {
  AttentionConfig config;
  config.model_dim = width;
  config.num_heads = 4;
  config.num_kv_heads = kv_heads;
  config.head_dim = head_dim;
  return random_weights(config, 97);
}

AttentionWeights loaded(const Stored& stored, const std::vector<NamedTensor>& tensors, const LoadOptions& options) {
  const TemporaryFolder folder;
  if (!stored.config.empty()) folder.write("config.json", "{" + stored.config + "}");
  return load_attention(folder.write("m.safetensors", safetensors_file(tensors)), options);
}

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

std::vector<NamedTensor> query_key_value_file(const AttentionWeights& layer) {
  return file_of(fused("", {"query_key_value", "dense"}, groups), layer);
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

TEST_CASE("rows whose order no shape tells are refused until somebody says it") {
  for (const std::int64_t kv_heads : {4, 2}) {
    const auto tensors = query_key_value_file(layer_of(16, 4, kv_heads));
    const TemporaryFolder folder;
    const std::string path = folder.write("m.safetensors", safetensors_file(tensors));
    std::vector<std::string> words{"'model.layers.3.attn.'", "falcon or chatglm", "LoadOptions::family", "model_type"};
    if (kv_heads == 4) words.push_back("bloom, gpt_neox");
    expect_error(ErrorCode::invalid_argument, words, [&] { load_attention(path, with_heads(4)); });
    const AttentionLayer found = find_attention_layers(WeightFile::open(path)).at(0);
    CHECK(found.family.empty());
    CHECK(found.candidates.size() == (kv_heads == 4 ? 4 : 2));
    folder.write("config.json", "{\"model_type\": \"unheard_of\"}");
    expect_error(ErrorCode::invalid_argument, words, [&] { load_attention(path, with_heads(4)); });
  }
}

TEST_CASE("two orders of the same rows are two layers") {
  const auto tensors = query_key_value_file(layer_of(16, 4, 4));
  LoadOptions options = with_heads(4);
  options.family = "bloom";
  const AttentionWeights by_head = load(tensors, options);
  options.family = "chatglm";
  options.allow_missing_bias = true;
  CHECK(!same(load(tensors, options).query_weight, by_head.query_weight));
}

TEST_CASE("what a shape contradicts is refused though it is asked for, with both shapes") {
  const AttentionWeights layer = layer_of(16, 4, 4);
  const auto check = [&](const Stored& stored, const std::string& family, const std::vector<std::string>& shapes) {
    LoadOptions options = with_heads(4);
    options.family = family;
    expect_error(ErrorCode::bad_file, shapes, [&] { load(file_of(stored, layer), options); });
  };
  check(conv1d({"c_attn", "c_proj"}, query_key_value), "nanogpt", {"c_attn.weight'", "[48, 48]", "[16, 48]"});
  check(fused("nanogpt", {"c_attn", "c_proj"}, query_key_value), "gpt2", {"c_attn.weight'", "[48, 48]", "[48, 16]"});
}

TEST_CASE("shapes in an error are as the file stores them") {
  auto tensors = file_of(dense("keras", {"query", "key", "value", "attention_output"}, ".", true), layer_of(10, 6, 2));
  const auto refused = [&](std::size_t which, const Dims& shape, const std::vector<std::string>& words) {
    auto changed = tensors;
    changed[which].tensor = Tensor(shape);
    expect_error(ErrorCode::bad_file, words, [&] { load(changed, with_heads(4)); });
  };
  refused(1, {10, 3, 6}, {"key.kernel'", "expected shape [10, 4, 6]", "fewer heads", "found shape [10, 3, 6]"});
  refused(3, {4, 6, 0}, {"attention_output.kernel'", "found shape [4, 6, 0]"});
  refused(3, {6, 4, 10}, {"attention_output.kernel'", "expected shape [4, 6, 10]", "found shape [6, 4, 10]"});
  refused(4, {6, 4}, {"query.bias'", "expected shape [4, 6]", "found shape [6, 4]"});
  refused(7, {2, 5}, {"attention_output.bias'", "[2, 5]"});
}

TEST_CASE("heads that are an axis of their own need not be given") {
  const AttentionWeights layer = layer_of(10, 6, 2);
  const auto tensors = file_of(dense("keras", {"query", "key", "value", "attention_output"}, "/", true), layer);
  check_same(load(tensors, {}), layer);
  expect_error(ErrorCode::bad_file, {"query/kernel'", "[10, 2, 12]", "[10, 4, 6]"},
               [&] { load(tensors, with_heads(2)); });
}

TEST_CASE("families that are known by name only say why they are refused") {
  const std::pair<std::vector<std::string>, std::vector<std::string>> families[] = {
      {{"kv_a_proj_with_mqa", "kv_b_proj", "o_proj"}, {"deepseek_mla", "low-rank"}},
      {{"self.query_proj", "self.key_proj", "self.value_proj", "output.dense"}, {"deberta", "relative positions"}},
      {{"self.in_proj", "output.dense"}, {"deberta", "relative positions"}},
      {{"qkv_proj", "out_proj"}, {"codegen", "shards", "name map"}}};
  for (const auto& [names, words] : families) {
    std::vector<NamedTensor> tensors;
    for (const std::string& name : names) tensors.push_back({"a." + name + ".weight", Tensor({4, 4})});
    CAPTURE(names[0]);
    expect_error(ErrorCode::unsupported, words, [&] { load(tensors, with_heads(2)); });
  }
}

TEST_CASE("a model whose rows are known to have another order is refused by its type, under names that others share") {
  Stored stored = fused("nanogpt", {"c_attn", "c_proj"}, query_key_value);
  const AttentionWeights layer = layer_of(16, 4, 4);
  check_same(loaded(stored, file_of(stored, layer), with_heads(4)), layer);
  stored.config = "\"model_type\": \"gpt_bigcode\"";
  expect_error(ErrorCode::unsupported, {"gpt_bigcode", "follow each other", "name map"},
               [&] { loaded(stored, file_of(stored, layer), with_heads(4)); });
}

TEST_CASE("buffers beside a layer are ignored, parts that would change it are not") {
  const AttentionWeights layer = layer_of(16, 4, 4);
  const Stored gpt2 = conv1d({"c_attn", "c_proj"}, query_key_value);
  const auto with_tensor = [&](const Stored& stored, const std::string& name, const Dims& shape) {
    auto tensors = file_of(stored, layer);
    tensors.push_back({"model.layers.3.attn." + name, Tensor(shape)});
    return tensors;
  };
  check_same(load(with_tensor(gpt2, "bias", {1, 1, 8, 8}), with_heads(4)), layer);
  check_same(load(with_tensor(gpt2, "masked_bias", Dims{}), with_heads(4)), layer);
  check_same(load(with_tensor(gpt2, "position_ids", {1, 8}), with_heads(4)), layer);
  const Stored keras = dense("keras", {"query", "key", "value", "attention_output"}, ".", true);
  expect_error(ErrorCode::unsupported, {"gate.kernel'"}, [&] {
    load(with_tensor(keras, "gate.kernel", {16, 4, 4}), with_heads(4));
  });
  expect_error(ErrorCode::unsupported, {"relative_position_bias_table'"}, [&] {
    load(with_tensor(stacked({"qkv", "proj"}), "relative_position_bias_table", {9, 4}), with_heads(4));
  });
}

TEST_CASE("a quantizable module's own layers come before the matrix of its base class") {
  const AttentionWeights layer = layer_of(16, 4, 4);
  auto tensors = file_of(linear("torch_mha", {"linear_Q", "linear_K", "linear_V", "out_proj"}), layer);
  tensors.push_back({"model.layers.3.attn.in_proj_weight", Tensor({48, 16})});
  tensors.push_back({"model.layers.3.attn.in_proj_bias", Tensor({48})});
  check_same(load(tensors, with_heads(4)), layer);
}

TEST_CASE("GPT-2's cross-attention is not taken for its self-attention") {
  const AttentionWeights layer = layer_of(16, 4, 4);
  const auto tensors = file_of(conv1d({"q_attn", "c_attn", "c_proj"}, key_value), layer);
  const TemporaryFolder folder;
  const auto layers = find_attention_layers(WeightFile::open(folder.write("m.safetensors", safetensors_file(tensors))));
  REQUIRE(layers.size() == 1);
  CHECK(layers[0].parts.size() == 6);
  CHECK(layers[0].widths.key == 16);
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
