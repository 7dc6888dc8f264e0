// Layers in files through C: families, options that choose, maps, and stored checks.
#include "c_layers.hpp"
#include "safetensors_writer.hpp"
#include "stored_layer.hpp"
#include "temporary_folder.hpp"

using namespace headwise;

namespace {

OwnedFile open_file(const std::string& path) {
  OwnedFile file;
  check_ok(headwise_file_open(path.c_str(), nullptr, file.to()));
  return file;
}

// The layer in a file, with these notes.
std::string file_of(const AttentionWeights& layer, const std::map<std::string, std::string>& metadata) {
  const TemporaryFolder folder;
  const StoredLayer stored = store_layer(layer, {.prefix = "a."});
  std::vector<NamedView> views;
  for (const auto& [name, tensor] : stored.tensors) views.push_back({name, tensor});
  save_safetensors(folder.file("t"), views, metadata);
  return read_bytes(folder.file("t"));
}

constexpr const char* own_map = R"({"query_weight": "{layer}.Q.weight", "key_weight": "{layer}.K.weight",
    "value_weight": "{layer}.V.weight", "output_weight": "{layer}.O.weight"})";

}  // namespace

TEST_CASE("C layouts: families are those of C++") {
  const std::vector<FamilyRow> expected = list_families();
  std::int64_t count = 0;
  check_ok(headwise_family_count(&count));
  REQUIRE(count == std::int64_t(expected.size()));
  for (std::int64_t i = 0; i < count; ++i) {
    const FamilyRow& row = expected[std::size_t(i)];
    auto info = ready<headwise_family_info>();
    check_ok(headwise_family_get(i, &info));
    CHECK(info.family == row.family);
    CHECK(info.models == row.models);
    CHECK(info.tensors == row.tensors);
    CHECK(info.storage == row.storage);
    CHECK(info.refusal == row.refusal);
  }
  auto info = ready<headwise_family_info>();
  check_invalid({"index", std::to_string(count)}, headwise_family_get(count, &info));
}

TEST_CASE("C layouts: layers that options choose, those of a family that is open, and a map") {
  const TemporaryFolder folder;
  const AttentionWeights layer = square_layer();
  auto tensors = four_linears(layer, "a.0.", {"q_proj", "k_proj", "v_proj", "o_proj"});
  for (const NamedTensor& named : four_linears(layer, "7.", {"Q", "K", "V", "O"})) {
    if (named.name.find("bias") == std::string::npos) tensors.push_back(named);
  }
  tensors.push_back(
      {"b.query_key_value.weight", stacked({&layer.query_weight, &layer.key_weight, &layer.value_weight})});
  tensors.push_back({"b.dense.weight", layer.output_weight});
  const std::string path = folder.write("m.safetensors", safetensors_file(tensors));
  const std::string map = folder.write("map.json", own_map);
  const WeightFile file = WeightFile::open(path);
  const OwnedFile c = open_file(path);
  OwnedLayers all, chosen, mapped, none;
  check_ok(headwise_find_layers(c, all.to()));
  check_same(all, find_attention_layers(file));
  const auto is_open = [](const AttentionLayer& found) { return found.family.empty() && !found.candidates.empty(); };
  const auto layers = find_attention_layers(file);
  CHECK(std::any_of(layers.begin(), layers.end(), is_open));
  auto options = ready<headwise_load_options>();
  options.prefix = "a.0.";
  check_ok(headwise_find_layers_for(c, &options, chosen.to()));
  check_same(chosen, find_attention_layers(file, LoadOptions{.prefix = "a.0."}));
  options.name_map = map.c_str();
  check_invalid({"prefix"}, headwise_find_layers_for(c, &options, none.to()));
  options.prefix = nullptr;
  options.layer = 7;
  options.num_heads = 3;
  const LoadOptions same{.layer = 7, .num_heads = 3, .name_map = map};
  check_ok(headwise_find_layers_for(c, &options, mapped.to()));
  check_same(mapped, find_attention_layers(file, same));
  OwnedWeights weights;
  check_ok(headwise_weights_from_file(c, &options, weights.to()));
  check_same(weights, load_attention(file, same));
  options.name_map = "/no/such/map.json";
  check_refused(HEADWISE_IO, {"/no/such/map.json"}, headwise_find_layers_for(c, &options, none.to()));
  CHECK(none.handle == nullptr);
}

TEST_CASE("C layouts: widths that all differ, and heads that the file tells") {
  const TemporaryFolder folder;
  AttentionConfig config;
  config.model_dim = 10;
  config.num_heads = 4;
  config.num_kv_heads = 2;
  config.head_dim = 3;
  config.value_dim = 5;
  config.output_dim = 7;
  const AttentionWeights layer = random_weights(config, 3);
  const std::string path = folder.write("m.safetensors", file_of(layer, store_layer(layer, {.prefix = "a."}).metadata));
  OwnedLayers layers;
  check_ok(headwise_find_layers(open_file(path), layers.to()));
  check_same(layers, find_attention_layers(WeightFile::open(path)));
  auto info = ready<headwise_layer_info>();
  check_ok(headwise_layers_get(layers, 0, &info));
  const std::vector<std::uint64_t> widths{info.model_width, info.query_width,  info.key_width,
                                          info.value_width, info.output_width, info.num_heads};
  CHECK(widths == std::vector<std::uint64_t>{10, 12, 6, 10, 7, 4});
}

TEST_CASE("C layouts: tensors of a shard index name their shard") {
  const TemporaryFolder folder;
  const AttentionWeights layer = square_layer();
  folder.write("one.safetensors", safetensors_file({{"x", layer.query_weight}}));
  folder.write("two.safetensors", safetensors_file({{"y", layer.key_weight}}));
  const std::string path = folder.write("model.safetensors.index.json",
                                        R"({"weight_map": {"x": "one.safetensors", "y": "two.safetensors"}})");
  const OwnedFile file = open_file(folder.path().string());
  auto info = ready<headwise_file_info>();
  check_ok(headwise_file_info_get(file, &info));
  CHECK(info.path == path);
  CHECK(std::string(info.format) == "safetensors index");
  const char* const shards[] = {"one.safetensors", "two.safetensors"};
  for (std::int64_t i = 0; i < 2; ++i) {
    auto tensor = ready<headwise_tensor_info>();
    check_ok(headwise_file_tensor(file, i, &tensor));
    CHECK(std::string(tensor.file) == shards[i]);
  }
}

TEST_CASE("C layouts: a stored check is that of C++, is found, and refuses another layer") {
  const TemporaryFolder folder;
  const AttentionWeights layer = square_layer(), other = random_weights(layer.config, 8);
  const OwnedWeights weights = c_weights(layer), others = c_weights(other);
  OwnedCheck check;
  headwise_note note{};
  check_ok(headwise_check_create(weights, "a.", check.to()));
  check_ok(headwise_check_get(check, &note));
  CHECK(note.key == stored_check_key("a."));
  CHECK(note.value == stored_check_for(layer));
  const OwnedFile good = open_file(folder.write("good.safetensors", file_of(layer, {{note.key, note.value}})));
  const OwnedFile bad = open_file(folder.write("bad.safetensors", file_of(other, {{note.key, note.value}})));
  std::int32_t has = -1;
  check_ok(headwise_has_stored_check(good, "a.", &has));
  CHECK(has == 1);
  check_ok(headwise_has_stored_check(good, "b.", &has));
  CHECK(has == 0);
  check_ok(headwise_check_stored(good, "a.", weights));
  check_refused(HEADWISE_BAD_FILE, {"stored check"}, headwise_check_stored(good, "a.", others));
  check_refused(HEADWISE_BAD_FILE, {"there is none"}, headwise_check_stored(good, "b.", weights));
  auto options = ready<headwise_load_options>();
  options.num_heads = 3;
  OwnedWeights loaded, none;
  check_refused(HEADWISE_BAD_FILE, {"stored check"}, headwise_weights_from_file(bad, &options, none.to()));
  options.stored_check = HEADWISE_CHECK_OFF;
  check_ok(headwise_weights_from_file(bad, &options, loaded.to()));
  options.stored_check = HEADWISE_CHECK_REQUIRED;
  const OwnedFile without = open_file(folder.write(
      "without.safetensors", safetensors_file(four_linears(layer, "a.", {"q_proj", "k_proj", "v_proj", "o_proj"}))));
  check_refused(HEADWISE_BAD_FILE, {"there is none"}, headwise_weights_from_file(without, &options, none.to()));
}
