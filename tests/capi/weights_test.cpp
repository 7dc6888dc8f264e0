// Weights of the caller's own, and models of them.
#include "c_objects.hpp"

using namespace headwise;

namespace {

headwise_config small() {
  auto config = ready<headwise_config>();
  config.model_dim = 8;
  config.num_heads = 2;
  return config;
}

}  // namespace

TEST_CASE("C weights: random ones and pruned ones are those of C++") {
  AttentionConfig config;
  config.model_dim = 8;
  config.num_heads = 4;
  config.rotary.dim = 2;
  config.scale = 0.5F;
  const CConfig c(config);
  OwnedWeights weights, kept;
  check_ok(headwise_weights_random(&c.config, 11, weights.to()));
  const std::int64_t heads[] = {0, 3};
  check_ok(headwise_keep_heads(weights, heads, 2, kept.to()));
  const AttentionWeights all = random_weights(config, 11), pruned = keep_heads(all, {0, 3});
  const auto check = [](const headwise_weights* actual, const AttentionWeights& expected) {
    for (std::size_t part = 0; part < 8; ++part) {
      headwise_view view{};
      check_ok(headwise_weights_get(actual, headwise_part(part), &view));
      const Tensor& tensor = expected.*weight_parts[part];
      REQUIRE(view.data != nullptr);
      CHECK(Dims(view.shape, std::size_t(view.rank)) == tensor.shape());
      CHECK(std::memcmp(view.data, tensor.data(), std::size_t(tensor.size()) * 4) == 0);
    }
  };
  check(weights, all);
  check(kept, pruned);
  OwnedWeights none;
  const std::int64_t twice[] = {1, 1};
  check_invalid({}, headwise_keep_heads(weights, twice, 2, none.to()));
  check_invalid({}, headwise_keep_heads(weights, nullptr, 0, none.to()));
}

TEST_CASE("C weights: parts are copied from any strides and types, and taken away") {
  OwnedWeights weights;
  const headwise_config config = small();
  check_ok(headwise_weights_create(&config, weights.to()));
  std::vector<float> numbers(16);
  for (int i = 0; i < 16; ++i) numbers[std::size_t(i)] = float(i);
  const std::int64_t strides[] = {1, 4};
  const headwise_view turned{numbers.data(), HEADWISE_F32, 2, {4, 4}, strides};
  check_ok(headwise_weights_set(weights, HEADWISE_QUERY_WEIGHT, &turned));
  numbers.assign(16, -1);
  headwise_view view{};
  check_ok(headwise_weights_get(weights, HEADWISE_QUERY_WEIGHT, &view));
  for (int i = 0; i < 16; ++i) CHECK(static_cast<const float*>(view.data)[i] == float(i % 4 * 4 + i / 4));
  check_ok(headwise_weights_set(weights, HEADWISE_QUERY_WEIGHT, nullptr));
  check_ok(headwise_weights_get(weights, HEADWISE_QUERY_WEIGHT, &view));
  CHECK(view.data == nullptr);
  CHECK(view.rank == 0);
  const headwise_view no_data{nullptr, HEADWISE_F32, 2, {4, 4}, nullptr};
  check_invalid({}, headwise_weights_set(weights, HEADWISE_QUERY_WEIGHT, &no_data));
}

TEST_CASE("C weights: half precision, and what does not fit a config is refused when a model is made") {
  AttentionWeights weights = random_weights(grouped_config(), 1);
  for (const auto part : weight_parts) {
    if ((weights.*part).given()) weights.*part = convert(weights.*part, DType::bf16);
  }
  Tensor x = filled({1, 3, 24}, 0.5F), y({1, 3, 24});
  const CCall call(inputs_of(x, x, x), {.output = y.mutable_view()});
  check_ok(headwise_session_run(c_session(c_model(weights)), &call.inputs, &call.outputs));
  CHECK(same_bits(y, run(MultiHeadAttention(weights), inputs_of(x, x, x)).output));

  OwnedWeights empty;
  OwnedModel model;
  const headwise_config config = small();
  check_ok(headwise_weights_create(&config, empty.to()));
  check_invalid({"query_weight", "missing"}, headwise_model_create(empty, nullptr, model.to()));
  check_ok(headwise_model_without_projections(empty, nullptr, model.to()));
  const OwnedWeights full = c_weights(weights);
  OwnedModel other;
  check_invalid({"without_projections"}, headwise_model_without_projections(full, nullptr, other.to()));
}

TEST_CASE("C models: options that are none") {
  const OwnedWeights weights = c_weights(random_weights(grouped_config(), 1));
  const auto refuse = [&](const std::vector<std::string>& words, const auto& spoil) {
    auto options = ready<headwise_model_options>();
    spoil(options);
    OwnedModel model;
    check_invalid(words, headwise_model_create(weights, &options, model.to()));
  };
  refuse({"self_attention_only"}, [](auto& o) { o.self_attention_only = 2; });
  refuse({"head_contribution"}, [](auto& o) { o.head_contribution = -1; });
  refuse({"ISA", "avx9000"}, [](auto& o) { o.isa = "avx9000"; });
  OwnedModel model;
  check_ok(headwise_model_create(weights, nullptr, model.to()));
  for (const std::int32_t threads : {-1, HEADWISE_MAX_THREADS + 1, INT32_MAX, INT32_MIN}) {
    auto options = ready<headwise_session_options>();
    OwnedSession session;
    options.threads = threads;
    check_invalid({"threads", std::to_string(threads)}, headwise_session_create(model, &options, session.to()));
    options.threads = 0;
    options.schedule = threads;
    check_invalid({"schedule"}, headwise_session_create(model, &options, session.to()));
  }
  const OwnedSession session = c_session(model, HEADWISE_MAX_THREADS);
  std::int32_t threads = 0;
  check_ok(headwise_session_threads(session, &threads));
  CHECK(threads == HEADWISE_MAX_THREADS);
  static_assert(HEADWISE_MAX_THREADS == Session::max_threads);
}

TEST_CASE("C configs: what is left at zero is filled in, and what does not fit is refused") {
  auto config = small();
  check_ok(headwise_resolve_config(&config));
  CHECK(config.num_kv_heads == 2);
  CHECK(config.head_dim == 4);
  CHECK(config.value_dim == 4);
  CHECK(config.output_dim == 8);
  CHECK(config.has_scale == 1);
  CHECK(config.scale == 0.5F);
  config.num_heads = 3;
  check_invalid({"num_heads"}, headwise_resolve_config(&config));
  const auto refuse = [](const std::vector<std::string>& words, const auto& spoil) {
    auto spoiled = small();
    spoil(spoiled);
    OwnedWeights weights;
    check_invalid(words, headwise_weights_random(&spoiled, 1, weights.to()));
  };
  for (const std::int32_t value : {-1, 9, INT32_MAX}) {
    refuse({"has_scale"}, [&](auto& c) { c.has_scale = value; });
    refuse({"add_zero_attention"}, [&](auto& c) { c.add_zero_attention = value; });
    refuse({"rows_without_keys"}, [&](auto& c) { c.rows_without_keys = value; });
  }
  refuse({"model_dim"}, [](auto& c) { c.model_dim = -8; });
  refuse({}, [](auto& c) { c.num_heads = INT64_MAX; });
  refuse({"softcap"}, [](auto& c) { c.softcap = -1; });
}
