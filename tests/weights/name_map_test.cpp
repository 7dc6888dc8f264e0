// Maps that a caller writes for files whose names no family explains.
#include <sys/stat.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "expect_error.hpp"
#include "loading.hpp"
#include "same_weights.hpp"
#include "stored_layer.hpp"

using namespace headwise;

namespace {

constexpr auto own_names = R"("query_weight": "net.{layer}.Q.w", "key_weight": "net.{layer}.K.w",
    "value_weight": "net.{layer}.V.w", "output_weight": "net.{layer}.O.w", "query_bias": "net.{layer}.Q.b",
    "key_bias": "net.{layer}.K.b", "value_bias": "net.{layer}.V.b", "output_bias": "net.{layer}.O.b")";

std::vector<NamedTensor> own_tensors(const AttentionWeights& layer, const std::string& prefix) {
  auto tensors = four_linears(layer, prefix, {"Q", "K", "V", "O"});
  for (NamedTensor& named : tensors) {
    const std::size_t dot = named.name.rfind('.');
    named.name = named.name.substr(0, dot + 2);  // .w and .b
  }
  return tensors;
}

Tensor transposed(const Tensor& matrix) {
  const std::int64_t rows = matrix.shape()[0], columns = matrix.shape()[1];
  Tensor result({columns, rows});
  for (std::int64_t i = 0; i < matrix.size(); ++i) {
    result.data()[i % columns * rows + i / columns] = matrix.data()[i];
  }
  return result;
}

AttentionWeights load_mapped(const std::string& map, const std::vector<NamedTensor>& tensors,
                             LoadOptions options = with_heads(3)) {
  const TemporaryFolder folder;
  options.name_map = folder.write("map.json", map);
  return load_attention(folder.write("m.safetensors", safetensors_file(tensors)), options);
}

void refused(ErrorCode code, const std::vector<std::string>& words, const std::string& map,
             const std::vector<NamedTensor>& tensors = own_tensors(square_layer(), "net.0.")) {
  CAPTURE(map.substr(0, 200));
  expect_error(code, words, [&] { load_mapped(map, tensors); });
}

std::string braced(const std::string& entries) {
  return "{" + entries + "}";
}

}  // namespace

TEST_CASE("a map says which tensor is which matrix, by layer") {
  const AttentionWeights layer = square_layer(), other = random_weights(layer.config, 5);
  auto tensors = own_tensors(layer, "net.0.");
  for (const NamedTensor& named : own_tensors(other, "net.12.")) tensors.push_back(named);
  check_same(load_mapped(braced(own_names), tensors), layer);
  LoadOptions options = with_heads(3);
  options.layer = 12;
  check_same(load_mapped(braced(own_names), tensors, options), other);
  options.layer = 1;
  expect_error(ErrorCode::invalid_argument, {"layer 1 of the name map", "'net.1.Q.w'"},
               [&] { load_mapped(braced(own_names), tensors, options); });
}

TEST_CASE("the layers of a map have the numbers of their names") {
  auto tensors = own_tensors(square_layer(), "net.12.");
  for (const char* prefix : {"net.3.", "net.03.", "net.x.", "net.99999999999999999999."}) {
    for (const NamedTensor& named : own_tensors(square_layer(), prefix)) tensors.push_back(named);
  }
  tensors.push_back({"net.7.Q.w", Tensor({6, 6})});  // a layer that lacks all else
  const TemporaryFolder folder;
  LoadOptions options;
  options.name_map = folder.write("map.json", braced(own_names));
  const WeightFile file = WeightFile::open(folder.write("m.safetensors", safetensors_file(tensors)));
  const auto layers = find_attention_layers(file, options);
  REQUIRE(layers.size() == 2);
  CHECK(layers[0].index == 3);
  CHECK(layers[1].index == 12);
  CHECK(layers[1].family == "map");
  CHECK(layers[1].prefix == "net.12.");
  CHECK(layers[1].widths.query == 6);
}

TEST_CASE("case B26: the layout that a map states holds for all four matrices") {
  const auto json = nlohmann::json::parse(std::ifstream(HEADWISE_TEST_DATA "/cases/B26.json"));
  const auto stored = json["inputs"]["weight_stored"].get<std::vector<std::vector<float>>>();
  const auto x = json["inputs"]["x"].get<std::vector<std::vector<float>>>();
  const auto bias = json["inputs"]["bias"].get<std::vector<float>>();
  AttentionConfig config;
  config.model_dim = 3;
  config.num_heads = 1;
  AttentionWeights layer = random_weights(config, 1);
  Tensor* weights[] = {&layer.query_weight, &layer.key_weight, &layer.value_weight, &layer.output_weight};
  for (Tensor* weight : weights) {
    for (std::size_t row = 0; row < 3; ++row) std::copy_n(stored[row].begin(), 3, weight->data() + row * 3);
  }
  for (const auto& [layout, key] : {std::pair{"out_in", "if_linear_out_in"}, std::pair{"in_out", "if_conv1d_in_out"}}) {
    const auto expected = json["expected"][key].get<std::vector<std::vector<float>>>();
    const std::string map = braced(std::string(own_names) + ", \"layout\": \"" + layout + "\"");
    const AttentionWeights loaded = load_mapped(map, own_tensors(layer, "net.0."), with_heads(1));
    for (const Tensor* w : {&loaded.query_weight, &loaded.key_weight, &loaded.value_weight, &loaded.output_weight}) {
      for (std::size_t i = 0; i < x.size() * 3; ++i) {
        float sum = bias[i % 3];
        for (std::size_t in = 0; in < 3; ++in) sum += x[i / 3][in] * w->data()[i % 3 * 3 + in];
        CHECK(sum == expected[i / 3][i % 3]);
      }
    }
  }
}

TEST_CASE("case B26: a shape that contradicts the layout is refused with both shapes") {
  AttentionConfig config;
  config.model_dim = 5;
  config.num_heads = 1;
  config.head_dim = 3;
  const auto tensors = own_tensors(random_weights(config, 1), "net.0.");
  expect_error(ErrorCode::bad_file, {"'net.0.O.w'", "expected shape [3, 3]", "found shape [3, 5]"}, [&] {
    auto changed = tensors;
    changed[6].tensor = transposed(changed[6].tensor);
    REQUIRE(changed[6].name == "net.0.O.w");
    load_mapped(braced(own_names), changed, with_heads(1));
  });
  expect_error(ErrorCode::bad_file, {"net.0.", "expected shape", "found shape"}, [&] {
    load_mapped(braced(std::string(own_names) + R"(, "layout": "in_out")"), tensors, with_heads(1));
  });
}

TEST_CASE("matrices of several parts, their order and the number of heads") {
  AttentionConfig config;
  config.model_dim = 8;
  config.num_heads = 4;
  config.num_kv_heads = 2;
  const AttentionWeights w = random_weights(config, 3);
  const Tensor both = stacked({&w.key_weight, &w.value_weight}), all = stacked({&w.query_weight, &both});
  const Tensor all_biases = stacked({&w.query_bias, &w.key_bias, &w.value_bias});
  const std::vector<NamedTensor> tensors{
      {"all", all},           {"both", both},        {"q", w.query_weight},      {"b", all_biases},
      {"o", w.output_weight}, {"ob", w.output_bias}, {"all_t", transposed(all)}, {"o_t", transposed(w.output_weight)}};
  const std::string rest = R"(, "qkv_bias": "b", "output_bias": "ob", "num_heads": 4)";
  check_same(load_mapped(braced(R"("qkv_weight": "all", "output_weight": "o")" + rest), tensors, {}), w);
  check_same(
      load_mapped(braced(R"("query_weight": "q", "kv_weight": "both", "output_weight": "o")" + rest), tensors, {}), w);
  check_same(
      load_mapped(braced(R"("qkv_weight": "all_t", "output_weight": "o_t", "layout": "in_out")" + rest), tensors, {}),
      w);
  const AttentionWeights grouped =
      load_mapped(braced(R"("qkv_weight": "all", "output_weight": "o", "rows": "groups")" + rest), tensors, {});
  // Two queries, their key, their value: the second key/value head starts at the row 8.
  CHECK(grouped.query_weight.data()[4 * 8] == all.data()[8 * 8]);
  CHECK(grouped.key_weight.data()[0] == all.data()[4 * 8]);
  CHECK(grouped.value_weight.data()[2 * 8] == all.data()[14 * 8]);
}

TEST_CASE("heads that are given come before those of the map") {
  const auto tensors = own_tensors(square_layer(), "net.0.");
  const std::string map = braced(std::string(own_names) + ", \"num_heads\": 2");
  CHECK(load_mapped(map, tensors, {}).config.num_heads == 2);
  CHECK(load_mapped(map, tensors, with_heads(3)).config.num_heads == 3);
}

TEST_CASE("what a map does not name is not there") {
  const std::string map = R"({"query_weight": "net.0.Q.w", "key_weight": "net.0.K.w", "value_weight": "net.0.V.w",
      "output_weight": "net.0.O.w", "value_bias": "net.0.V.b"})";
  const AttentionWeights layer = square_layer(), loaded = load_mapped(map, own_tensors(layer, "net.0."));
  CHECK(!loaded.query_bias.given());
  CHECK(!loaded.output_bias.given());
  CHECK(same(loaded.value_bias, layer.value_bias));
}

TEST_CASE("a map whose tensors are not there says which, and what is near") {
  auto tensors = own_tensors(square_layer(), "net.0.");
  tensors[2].name = "net.0.k.w";
  refused(ErrorCode::invalid_argument, {"m.safetensors", "map.json", "lacks 'net.0.K.w'", "near: 'net.0.k.w'"},
          braced(own_names), tensors);
  refused(ErrorCode::invalid_argument, {"lacks 'net.0.Q.w'"}, braced(own_names), {});
}

TEST_CASE("a map that says too little, too much or nonsense is refused") {
  const std::string names = own_names;
  const auto bad = [](const std::vector<std::string>& words, const std::string& map) {
    refused(ErrorCode::bad_file, words, map);
  };
  bad({"map.json", "needs query_weight"}, "{}");
  bad({"needs query_weight"}, R"({"query_weight": "a", "output_weight": "b"})");
  bad({"needs query_weight"}, braced(names + R"(, "qkv_weight": "a")"));
  bad({"needs query_weight"}, braced(names + R"(, "kv_weight": "a")"));
  bad({"names no output_weight"}, R"({"qkv_weight": "a"})");
  bad({"qkv_bias and query_bias"}, braced(names + R"(, "qkv_bias": "a")"));
  bad({"kv_bias and key_bias"}, braced(names + R"(, "kv_bias": "a")"));
  bad({"unknown entry 'qurey_bias'", "query_bias", "num_heads"}, braced(names + R"(, "qurey_bias": "a")"));
  bad({"duplicate key 'query_weight'"}, braced(names + R"(, "query_weight": "a")"));
  bad({"query_norm is no text"}, braced(names + R"(, "query_norm": 1)"));
  bad({"query_norm is no text"}, braced(names + R"(, "query_norm": {"query_weight": ["a"]})"));
  bad({"layout is 'rows'", "out_in or in_out"}, braced(names + R"(, "layout": "rows")"));
  bad({"rows is 'heads'", "blocks or groups"}, braced(names + R"(, "rows": "heads")"));
  for (const char* value : {"0", "-1", "1.5", "\"3\"", "null", "99999999999999999999"}) {
    bad({"num_heads is no positive integer"}, braced(names + ", \"num_heads\": " + value));
  }
}

TEST_CASE("a hostile map never does more than fail") {
  const auto bad = [](const std::string& text) { refused(ErrorCode::bad_file, {"map.json", "JSON object"}, text); };
  bad("");
  bad("[]");
  bad("null");
  bad("{\"query_weight\": ");
  bad("{} x");
  bad(std::string("{}\0", 3));
  bad("{\"\xff\": \"a\"}");
  bad("{\"a\": " + std::string(60'000, '['));
  refused(ErrorCode::bad_file, {"64 KiB"}, std::string(70'000, ' '));
  std::string many;
  for (int i = 0; i < 4000; ++i) many += "{layer}";
  refused(ErrorCode::invalid_argument, {"lacks"},
          R"({"qkv_weight": ")" + many + R"(", "output_weight": "net.{layer}{layer}.O.w"})");
  refused(ErrorCode::bad_file, {"unknown entry '\\x00'"}, "{\"\\u0000\": 1}");
  const TemporaryFolder folder;
  LoadOptions options;
  const std::string file = folder.write("m.safetensors", safetensors_file(own_tensors(square_layer(), "net.0.")));
  for (const char* name : {"none.json", "fifo"}) {
    options.name_map = folder.file(name);
    if (name == std::string("fifo")) REQUIRE(::mkfifo(options.name_map.c_str(), 0600) == 0);
    expect_error(ErrorCode::io, {name}, [&] { load_attention(file, options); });
  }
}

TEST_CASE("a map leaves nothing to prefix and family") {
  LoadOptions options = with_heads(3);
  options.prefix = "net.0.";
  const auto refuse = [&] {
    expect_error(ErrorCode::invalid_argument, {"name_map", "prefix"},
                 [&] { load_mapped(braced(own_names), own_tensors(square_layer(), "net.0."), options); });
  };
  refuse();
  options.prefix = "";
  options.family = "bert";
  refuse();
}
