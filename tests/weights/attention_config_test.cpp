#include <cmath>
#include <limits>

#include "expect_error.hpp"
#include "headwise/weights.hpp"

using namespace headwise;

namespace {

AttentionConfig sizes(std::int64_t model_dim, std::int64_t num_heads) {
  AttentionConfig config;
  config.model_dim = model_dim;
  config.num_heads = num_heads;
  return config;
}

}  // namespace

TEST_CASE("zeros are derived") {
  const AttentionConfig config = resolve(sizes(64, 8));
  CHECK(config.num_kv_heads == 8);
  CHECK(config.head_dim == 8);
  CHECK(config.value_dim == 8);
  CHECK(config.key_input_dim == 64);
  CHECK(config.value_input_dim == 64);
  CHECK(config.output_dim == 64);
  CHECK(config.scale == static_cast<float>(1.0 / std::sqrt(8.0)));
}

TEST_CASE("given sizes are kept") {
  AttentionConfig config = sizes(10, 3);
  config.num_kv_heads = 1;
  config.head_dim = 5;
  config.value_dim = 7;
  config.key_input_dim = 11;
  config.value_input_dim = 12;
  config.output_dim = 13;
  config.scale = 1.0f;
  config.rows_without_keys = RowsWithoutKeys::mean;
  const AttentionConfig result = resolve(config);
  CHECK(result.num_kv_heads == 1);
  CHECK(result.head_dim == 5);
  CHECK(result.value_dim == 7);
  CHECK(result.key_input_dim == 11);
  CHECK(result.value_input_dim == 12);
  CHECK(result.output_dim == 13);
  CHECK(result.scale == 1.0f);
  CHECK(result.rows_without_keys == RowsWithoutKeys::mean);
}

TEST_CASE("rows without keys that are left open are zero") {
  AttentionConfig config = sizes(64, 8);
  config.rows_without_keys = RowsWithoutKeys::unspecified;
  CHECK(resolve(config).rows_without_keys == RowsWithoutKeys::zero);
}

TEST_CASE("the model width follows from the heads when only their size is given") {
  AttentionConfig config = sizes(0, 4);
  config.head_dim = 16;
  CHECK(resolve(config).model_dim == 64);
}

namespace {

template <class Change>
void refused_with(const std::vector<std::string>& words, const Change& change) {
  AttentionConfig config = sizes(64, 8);
  config.rotary.dim = 4;
  CHECK_NOTHROW(resolve(config));
  change(config);
  expect_error(ErrorCode::invalid_argument, words, [&] { resolve(config); });
}

}  // namespace

TEST_CASE("numbers of scores and norms that make no sense are named") {
  for (const float bad : {-1.0F, NAN, INFINITY}) {
    refused_with({"softcap"}, [&](AttentionConfig& config) { config.softcap = bad; });
    refused_with({"norm_epsilon"}, [&](AttentionConfig& config) { config.norm_epsilon = bad; });
  }
  refused_with({"norm_epsilon", "above zero: 0"}, [](AttentionConfig& config) { config.norm_epsilon = 0; });
  for (const int none : {-1, 4, 1000}) {
    refused_with({"rows_without_keys", std::to_string(none)},
                 [&](AttentionConfig& config) { config.rows_without_keys = static_cast<RowsWithoutKeys>(none); });
  }
}

// What every field must be is tested beside the checks themselves, in tests/positions.
TEST_CASE("a rotary embedding fits the head and has numbers that its scaling needs") {
  for (const std::int64_t dim : {-2, 3, 10}) {
    refused_with({"rotary.dim", std::to_string(dim)}, [&](AttentionConfig& config) { config.rotary.dim = dim; });
  }
  refused_with({"rotary.base"}, [](AttentionConfig& config) { config.rotary.base = 0; });
  refused_with({"rotary.original_positions"}, [](AttentionConfig& config) {
    config.rotary.scaling = RotaryScaling::llama3;
    config.rotary.factor = 2;
  });
}

TEST_CASE("a position bias has the numbers that its kind needs, others do not matter") {
  refused_with({"position_bias.alibi_max"}, [](AttentionConfig& config) {
    config.position_bias.kind = PositionBias::alibi;
    config.position_bias.alibi_max = 0;
  });
  refused_with({"position_bias.max_distance"}, [](AttentionConfig& config) {
    config.position_bias.kind = PositionBias::t5;
    config.position_bias.max_distance = 0;
  });
  AttentionConfig unused = sizes(64, 8);
  unused.rotary.base = -1;
  unused.position_bias.alibi_max = -1;
  unused.position_bias.max_distance = -1;
  CHECK_NOTHROW(resolve(unused));
}

TEST_CASE("sizes that do not fit are named") {
  const auto refused = [](const std::vector<std::string>& words, const AttentionConfig& config) {
    expect_error(ErrorCode::invalid_argument, words, [&] { resolve(config); });
  };
  refused({"num_heads"}, sizes(64, 0));
  refused({"model_dim"}, sizes(0, 8));
  refused({"model_dim 10", "num_heads 3", "head_dim"}, sizes(10, 3));
  refused({"model_dim", "-64"}, sizes(-64, 8));
  refused({"num_heads", "-8"}, sizes(64, -8));
  AttentionConfig groups = sizes(64, 8);
  groups.num_kv_heads = 3;
  refused({"num_heads 8", "num_kv_heads 3"}, groups);
  AttentionConfig vast = sizes(64, 8);
  vast.head_dim = std::numeric_limits<std::int64_t>::max();
  refused({"head_dim", "overflow"}, vast);
  AttentionConfig scaled = sizes(64, 8);
  scaled.scale = NAN;
  refused({"scale"}, scaled);
  for (auto member : {&AttentionConfig::value_dim, &AttentionConfig::key_input_dim, &AttentionConfig::value_input_dim,
                      &AttentionConfig::output_dim, &AttentionConfig::head_dim, &AttentionConfig::num_kv_heads}) {
    AttentionConfig negative = sizes(64, 8);
    negative.*member = -1;
    refused({"negative"}, negative);
  }
}
