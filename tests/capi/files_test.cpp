// Weight files through C: looked into, read, and what their options do.
#include "c_layers.hpp"
#include "safetensors_writer.hpp"
#include "stored_layer.hpp"
#include "temporary_folder.hpp"

using namespace headwise;

namespace {

const char* model_path = HEADWISE_TEST_DATA "/tiny_bert/model.safetensors";
const char* extras_path = HEADWISE_TEST_DATA "/extras.safetensors";

void count_progress(std::uint64_t done, std::uint64_t total, void* user) {
  CHECK(done <= total);
  *static_cast<std::uint64_t*>(user) = done;
}

}  // namespace

TEST_CASE("C files: tensors, notes and layers are those of C++") {
  const WeightFile file = WeightFile::open(model_path);
  OwnedFile c;
  check_ok(headwise_file_open(model_path, nullptr, c.to()));
  auto info = ready<headwise_file_info>();
  check_ok(headwise_file_info_get(c, &info));
  CHECK(std::string(info.path) == model_path);
  CHECK(std::string(info.format) == file.format());
  REQUIRE(info.num_tensors == std::int64_t(file.tensors().size()));
  for (std::int64_t i = 0; i < info.num_tensors; ++i) {
    const TensorInfo& expected = file.tensors()[std::size_t(i)];
    auto tensor = ready<headwise_tensor_info>();
    check_ok(headwise_file_tensor(c, i, &tensor));
    CHECK(tensor.name == expected.name);
    CHECK(tensor.dtype == expected.dtype);
    CHECK(std::vector<std::uint64_t>(tensor.shape, tensor.shape + tensor.rank) == expected.shape);
    CHECK(tensor.begin == expected.begin);
    CHECK(tensor.end == expected.end);
    CHECK(tensor.file == expected.file);
    std::int64_t found = -2;
    check_ok(headwise_file_find(c, tensor.name, &found));
    CHECK(found == i);
  }
  std::int64_t found = 0;
  check_ok(headwise_file_find(c, "no such tensor", &found));
  CHECK(found == -1);
  REQUIRE(info.num_metadata == 1);
  const char* key = nullptr;
  const char* value = nullptr;
  check_ok(headwise_file_metadata(c, 0, &key, &value));
  CHECK(std::string(key) == "format");
  CHECK(std::string(value) == "pt");
}

TEST_CASE("C files: a tensor is read with and without progress") {
  const WeightFile file = WeightFile::open(model_path);
  std::uint64_t opened = 0, own = 0;
  auto options = ready<headwise_open_options>();
  options.progress = count_progress;
  options.progress_user = &opened;
  OwnedFile c;
  check_ok(headwise_file_open(model_path, &options, c.to()));
  for (const headwise_progress progress : {headwise_progress(nullptr), headwise_progress(count_progress)}) {
    OwnedTensor tensor;
    const std::string name = file.tensors()[0].name;
    check_ok(headwise_file_read(c, name.c_str(), progress, &own, tensor.to()));
    headwise_view view{};
    check_ok(headwise_tensor_view(tensor, &view));
    const Tensor expected = file.read(name);
    CHECK(std::memcmp(view.data, expected.data(), std::size_t(expected.size()) * 4) == 0);
  }
  const TensorInfo& first = file.tensors()[0];
  CHECK(opened == first.end - first.begin);
  CHECK(own == first.end - first.begin);
  OwnedTensor tensor;
  check_invalid({"nothing"}, headwise_file_read(c, "nothing", nullptr, nullptr, tensor.to()));
}

TEST_CASE("C files: layers and the number of heads") {
  const auto expected = find_attention_layers(WeightFile::open(extras_path));
  OwnedFile file;
  OwnedLayers layers;
  check_ok(headwise_file_open(extras_path, nullptr, file.to()));
  check_ok(headwise_find_layers(file, layers.to()));
  check_same(layers, expected);
  std::int64_t heads = -1;
  check_ok(headwise_heads_from_config(model_path, &heads));
  CHECK(heads == heads_from_config(model_path));
  check_ok(headwise_heads_from_config("/no/such/folder/x.safetensors", &heads));
  CHECK(heads == 0);
}

TEST_CASE("C files: layers are loaded as in C++, from a path and from an open file") {
  OwnedWeights by_path, by_file;
  OwnedFile file;
  std::uint64_t read = 0;
  auto open = ready<headwise_open_options>();
  open.progress = count_progress;
  open.progress_user = &read;
  auto options = ready<headwise_load_options>();
  options.layer = 1;
  options.open = &open;
  check_ok(headwise_weights_load(model_path, &options, by_path.to()));
  CHECK(read > 0);
  check_ok(headwise_file_open(model_path, nullptr, file.to()));
  check_ok(headwise_weights_from_file(file, &options, by_file.to()));
  const AttentionWeights expected = load_attention(model_path, {.layer = 1});
  check_same(by_path, expected);
  check_same(by_file, expected);
}

TEST_CASE("C files: every option of loading") {
  const TemporaryFolder folder;
  const AttentionWeights layer = square_layer();
  std::vector<NamedTensor> tensors = four_linears(layer, "a.", {"q_proj", "k_proj", "v_proj", "o_proj"});
  const auto more = four_linears(layer, "b.", {"q_proj", "k_proj", "v_proj", "o_proj"});
  tensors.insert(tensors.end(), more.begin(), more.end() - 1);  // "b." has no bias of its output
  const std::string path = folder.write("m.safetensors", safetensors_file(tensors) + "tail");
  folder.write("config.json", R"({"num_attention_heads": 3})");
  const float scale = 0.25F, softcap = 20, epsilon = 1e-3F;
  const std::int32_t plus_one = 1;
  const headwise_empty_rows mean_rows = HEADWISE_EMPTY_ROWS_MEAN;
  const std::int64_t kept[] = {0, 2};
  auto rotary = ready<headwise_rotary_config>();
  rotary.dim = 2;
  rotary.layout = HEADWISE_ROTARY_INTERLEAVED;
  auto bias = ready<headwise_bias_config>();
  bias.kind = HEADWISE_BIAS_ALIBI;
  bias.unidirectional = 1;
  auto open = ready<headwise_open_options>();
  open.allow_trailing_bytes = 1;
  auto options = ready<headwise_load_options>();
  OwnedWeights weights;
  check_refused(HEADWISE_BAD_FILE, {}, headwise_weights_load(path.c_str(), &options, weights.to()));
  options.open = &open;
  options.prefix = "b.";
  check_refused(HEADWISE_BAD_FILE, {}, headwise_weights_load(path.c_str(), &options, weights.to()));
  options.allow_missing_bias = 1;
  options.family = "linear4";
  options.scale = &scale;
  options.softcap = &softcap;
  options.norm_epsilon = &epsilon;
  options.norm_plus_one = &plus_one;
  options.rows_without_keys = &mean_rows;
  options.add_zero_attention = 1;
  options.rotary = &rotary;
  options.position_bias = &bias;
  options.keep_heads = kept;
  options.num_keep_heads = 2;
  check_ok(headwise_weights_load(path.c_str(), &options, weights.to()));
  LoadOptions same;
  same.prefix = "b.";
  same.family = "linear4";
  same.allow_missing_bias = true;
  same.scale = scale;
  same.softcap = softcap;
  same.norm_epsilon = epsilon;
  same.norm_plus_one = true;
  same.rows_without_keys = RowsWithoutKeys::mean;
  same.add_zero_attention = true;
  same.rotary = RotaryConfig{.dim = 2, .layout = RotaryLayout::interleaved};
  same.position_bias = PositionBiasConfig{.kind = PositionBias::alibi, .bidirectional = false};
  same.keep_heads = {0, 2};
  same.open.allow_trailing_bytes = true;
  check_same(weights, load_attention(path, same));
  auto config = ready<headwise_config>();
  check_ok(headwise_weights_config(weights, &config));
  CHECK(config.num_heads == 2);
  CHECK(config.has_scale == 1);
  CHECK(config.scale == scale);
  CHECK(config.softcap == softcap);
  CHECK(config.norm_epsilon == epsilon);
  CHECK(config.rows_without_keys == HEADWISE_EMPTY_ROWS_MEAN);
  CHECK(config.add_zero_attention == 1);
  REQUIRE(config.rotary != nullptr);
  CHECK(config.rotary->layout == HEADWISE_ROTARY_INTERLEAVED);
  CHECK(config.rotary->base == 10000);
  REQUIRE(config.position_bias != nullptr);
  CHECK(config.position_bias->unidirectional == 1);
  options.ignore_model_config = 1;
  OwnedWeights none;
  check_invalid({"num_heads"}, headwise_weights_load(path.c_str(), &options, none.to()));
  options.num_heads = 3;
  check_ok(headwise_weights_load(path.c_str(), &options, none.to()));
}

TEST_CASE("C files: flags and enumerations of loading that are none") {
  const auto refuse = [](const std::vector<std::string>& words, const auto& spoil) {
    auto options = ready<headwise_load_options>();
    auto open = ready<headwise_open_options>();
    options.open = &open;
    std::int32_t plus_one = 0;
    options.norm_plus_one = &plus_one;
    spoil(options, open, plus_one);
    OwnedWeights weights;
    check_invalid(words, headwise_weights_load(model_path, &options, weights.to()));
  };
  for (const std::int32_t value : {-1, 9, INT32_MAX}) {
    refuse({"allow_missing_bias"}, [&](auto& o, auto&, auto&) { o.allow_missing_bias = value; });
    refuse({"ignore_model_config"}, [&](auto& o, auto&, auto&) { o.ignore_model_config = value; });
    refuse({"add_zero_attention"}, [&](auto& o, auto&, auto&) { o.add_zero_attention = value; });
    refuse({"stored_check"}, [&](auto& o, auto&, auto&) { o.stored_check = value; });
    refuse({"rows_without_keys"}, [&](auto& o, auto&, auto&) { o.rows_without_keys = &value; });
    refuse({"norm_plus_one"}, [&](auto&, auto&, auto& plus_one) { plus_one = value; });
    refuse({"allow_trailing_bytes"}, [&](auto&, auto& open, auto&) { open.allow_trailing_bytes = value; });
  }
  refuse({"keep_heads", "negative"}, [](auto& o, auto&, auto&) { o.num_keep_heads = -1; });
  refuse({"keep_heads", "NULL"}, [](auto& o, auto&, auto&) { o.num_keep_heads = 1; });
  refuse({}, [](auto& o, auto&, auto&) { o.layer = -1; });
  refuse({}, [](auto& o, auto&, auto&) { o.layer = 1000; });
  OwnedFile file;
  check_refused(HEADWISE_IO, {"/no/such"}, headwise_file_open("/no/such", nullptr, file.to()));
  check_refused(HEADWISE_BAD_FILE, {},
                headwise_file_open(HEADWISE_TEST_DATA "/cases/b02_dim_2_64.safetensors", nullptr, file.to()));
}
