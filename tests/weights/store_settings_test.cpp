// The settings that store_layer() puts beside a layer.
#include "expect_error.hpp"
#include "round_trip.hpp"
#include "same_weights.hpp"

using namespace headwise;

TEST_CASE("what tensors cannot tell comes back from the metadata") {
  AttentionWeights layer = grouped_layer();
  AttentionConfig& c = layer.config;
  c.scale = 0.1F;
  c.softcap = 30;
  c.norm_epsilon = 1e-5F;
  c.add_zero_attention = true;
  c.rows_without_keys = RowsWithoutKeys::mean;
  c.rotary = {2, RotaryLayout::interleaved, 12345.678, RotaryScaling::yarn, 4, 2048, 1.5, 3.5, 31, 2, 0.7};
  c.position_bias = {PositionBias::alibi, AlibiSlopes::geometric, 7.5, false, 99};
  layer = keep_heads(layer, {1, 2});
  const AttentionConfig read = round_trip(layer, {.family = "linear4", .prefix = "a"}).config;
  CHECK(read.num_heads == 2);
  CHECK(read.scale == 0.1F);
  CHECK(read.softcap == 30);
  CHECK(read.norm_epsilon == 1e-5F);
  CHECK(read.add_zero_attention);
  CHECK(read.rows_without_keys == RowsWithoutKeys::mean);
  CHECK(read.rotary.layout == RotaryLayout::interleaved);
  CHECK(read.rotary.base == 12345.678);
  CHECK(read.rotary.scaling == RotaryScaling::yarn);
  CHECK(read.rotary.original_positions == 2048);
  CHECK(read.rotary.beta_fast == 31);
  CHECK(read.rotary.attention_factor == 0.7);
  CHECK(read.position_bias.kind == PositionBias::alibi);
  CHECK(read.position_bias.slopes == AlibiSlopes::geometric);
  CHECK(read.position_bias.alibi_max == 7.5);
  check_same(round_trip(layer, {.family = "linear4", .prefix = "a"}),
             layer);  // with the slopes of the heads that stayed
}

TEST_CASE("settings come before config.json and behind what the caller says") {
  const TemporaryFolder folder;
  AttentionWeights layer = square_layer();
  layer.config.scale = 0.25F;
  const StoredLayer stored = store_layer(layer, {.family = "linear4", .prefix = "a"});
  const std::string path = folder.file("t.safetensors");
  save_safetensors(path, views_of(stored), stored.metadata);
  folder.write("config.json", R"({"num_attention_heads":2,"attn_logit_softcapping":50.0})");
  CHECK(load_attention(path).config.num_heads == 3);
  CHECK(load_attention(path).config.softcap == 0);
  LoadOptions given;
  given.scale = 0.5F;
  given.softcap = 9;
  given.rotary = RotaryConfig{2};
  const AttentionConfig read = load_attention(path, given).config;
  CHECK(read.scale == 0.5F);
  CHECK(read.softcap == 9);
  CHECK(read.rotary.dim == 2);
  CHECK(find_attention_layers(WeightFile::open(path)).front().widths.num_heads == 3);
  given = {};
  given.use_model_config = false;
  CHECK(load_attention(path, given).config.scale != 0.25F);
  given = {};
  given.num_heads = 6;
  given.stored_check = StoredCheck::off;
  CHECK(load_attention(path, given).config.num_heads == 6);
}

TEST_CASE("rows without keys come from the settings, from older ones as zero, and behind what the caller says") {
  const TemporaryFolder folder;
  const std::string path = folder.file("t.safetensors"), key = "headwise.settings:a.";
  for (const RowsWithoutKeys rows : {RowsWithoutKeys::zero, RowsWithoutKeys::mean, RowsWithoutKeys::nan}) {
    CAPTURE(static_cast<int>(rows));
    AttentionWeights layer = square_layer();
    layer.config.rows_without_keys = rows;
    const StoredLayer stored = store_layer(layer, {.family = "linear4", .prefix = "a"});
    save_safetensors(path, views_of(stored), stored.metadata);
    CHECK(load_attention(path).config.rows_without_keys == rows);
    for (const RowsWithoutKeys given : {RowsWithoutKeys::zero, RowsWithoutKeys::mean, RowsWithoutKeys::nan}) {
      LoadOptions options;
      options.rows_without_keys = given;
      CHECK(load_attention(path, options).config.rows_without_keys == given);
    }
    std::string older = stored.metadata.at(key);
    const std::size_t field = older.find(",\"rows_without_keys\"");
    REQUIRE(field != std::string::npos);
    older.erase(field, older.find_first_of(",}", field + 1) - field);
    save_safetensors(path, views_of(stored), {{key, older}});
    CHECK(load_attention(path).config.rows_without_keys == RowsWithoutKeys::zero);
  }
}

TEST_CASE("damaged settings are refused by name, and can be left aside") {
  const TemporaryFolder folder;
  const StoredLayer stored = store_layer(square_layer(), {.family = "linear4", .prefix = "a"});
  const std::string path = folder.file("t.safetensors"), key = "headwise.settings:a.";
  const std::string good = stored.metadata.at(key);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    REQUIRE(text.find(from) != std::string::npos);
    return text.replace(text.find(from), from.size(), to);
  };
  const std::string cases[] = {"",
                               "[]",
                               "null",
                               good.substr(1),
                               good + "x",
                               std::string(2 << 20, ' ') + good,
                               std::string(100'000, '['),
                               with("\"version\":1", "\"version\":2"),
                               with("\"num_heads\":3", "\"num_heads\":0"),
                               with("\"num_heads\":3", "\"num_heads\":-3"),
                               with("\"num_heads\":3", "\"num_heads\":3.5"),
                               with("\"num_heads\":3", "\"num_heads\":4"),
                               with("\"softcap\":0.0", "\"softcap\":-3.0"),
                               with("\"norm_epsilon\":", "\"norm_epsilon\":-"),
                               with("\"num_heads\":3", "\"num_heads\":18446744073709551615"),
                               with("\"scale\":", "\"scale\":1e300,\"x\":"),
                               with("\"scale\":", "\"scale\":\"\",\"x\":"),
                               with("\"softcap\":", "\"x\":"),
                               with("\"position_bias\":\"none\"", "\"position_bias\":\"some\""),
                               with("\"position_bias\":\"none\"", "\"position_bias\":5"),
                               with("\"add_zero_attention\":false", "\"add_zero_attention\":0"),
                               with("\"family\":\"linear4\"", "\"family\":4"),
                               with("\"family\":\"linear4\"", "\"family\":\"nonsense\""),
                               with("\"family\":\"linear4\"", "\"family\":\"bert\""),
                               with("\"family\":\"linear4\"", "\"family\":\"\""),
                               with("\"alibi_slopes\":[]", "\"alibi_slopes\":{}"),
                               with("\"alibi_slopes\":[]", "\"alibi_slopes\":[\"\"]"),
                               with("\"alibi_slopes\":[]", "\"alibi_slopes\":[1.0]"),
                               with("\"alibi_slopes\":[]", "\"alibi_slopes\":[[1.0], 1.0, 1.0]"),
                               with("\"rows_without_keys\":\"zero\"", "\"rows_without_keys\":\"some\""),
                               with("\"rows_without_keys\":\"zero\"", "\"rows_without_keys\":\"unspecified\""),
                               with("\"rows_without_keys\":\"zero\"", "\"rows_without_keys\":null"),
                               with("\"rows_without_keys\":\"zero\"", "\"rows_without_keys\":1"),
                               with("\"rotary_dim\":0", "\"rotary_dim\":2")};
  LoadOptions aside;
  aside.num_heads = 3;
  aside.use_model_config = false;
  for (const std::string& text : cases) {
    CAPTURE(text.substr(0, 400));
    save_safetensors(path, views_of(stored), {{key, text}});
    expect_error(ErrorCode::bad_file, {"t.safetensors", "settings"}, [&] { load_attention(path); });
    CHECK(find_attention_layers(WeightFile::open(path)).size() == 1);
    CHECK(load_attention(path, aside).config.num_heads == 3);
  }
}

TEST_CASE("settings of another family are told with both, and a family that is given decides") {
  const TemporaryFolder folder;
  const StoredLayer stored = store_layer(square_layer(), {.family = "linear4", .prefix = "a"});
  const std::string key = "headwise.settings:a.";
  std::string text = stored.metadata.at(key);
  text.replace(text.find("linear4"), 7, R"(be\u001brt)");
  save_safetensors(folder.file("t"), views_of(stored), {{key, text}});
  expect_error(ErrorCode::bad_file, {"'a.'", "family 'be\\x1brt'", "linear4"},
               [&] { load_attention(folder.file("t")); });
  LoadOptions given;
  given.family = "linear4";
  CHECK(load_attention(folder.file("t"), given).config.num_heads == 3);
}
