// NULL for every place that a function writes to.
#include "everything.hpp"

using namespace headwise;

namespace {

std::int64_t give_nothing(void*, std::size_t, void*) {
  return 0;
}

}  // namespace

TEST_CASE("C handles: NULL for a result is refused before any work is done") {
  const Everything e;
  const std::int64_t shape[] = {2};
  const char* text = nullptr;
  double numbers[4] = {};
  headwise_view view{};
  const auto rotary = [] {
    auto result = ready<headwise_rotary_config>();
    result.dim = 2;
    return result;
  }();
  const auto bias = ready<headwise_bias_config>();
  check_ok(headwise_tensor_view(e.tensor, &view));
  refuse_null("tensor", headwise_tensor_create(HEADWISE_F32, 1, shape, nullptr));
  refuse_null("view", headwise_tensor_view(e.tensor, nullptr));
  refuse_null("view", headwise_tensor_mutable_view(e.tensor, nullptr));
  refuse_null("tensor", headwise_load_npy(e.path, nullptr));
  refuse_null("tensor", headwise_convert(&view, HEADWISE_F16, nullptr));
  refuse_null("frequencies", headwise_rotary_frequencies(&rotary, 1, nullptr));
  refuse_null("magnitude", headwise_rotary_magnitude(&rotary, nullptr));
  refuse_null("slopes", headwise_alibi_slopes(4, HEADWISE_ALIBI_GEOMETRIC, 0, 4, nullptr));
  refuse_null("bucket", headwise_t5_bucket(1, 32, &bias, nullptr));
  refuse_null("file", headwise_file_open(e.path, nullptr, nullptr));
  refuse_null("info", headwise_file_info_get(e.file, nullptr));
  refuse_null("info", headwise_file_tensor(e.file, 0, nullptr));
  refuse_null("index", headwise_file_find(e.file, "a", nullptr));
  refuse_null("key", headwise_file_metadata(e.file, 0, nullptr, &text));
  refuse_null("value", headwise_file_metadata(e.file, 0, &text, nullptr));
  refuse_null("tensor", headwise_file_read(e.file, "a", nullptr, nullptr, nullptr));
  refuse_null("layers", headwise_find_layers(e.file, nullptr));
  refuse_null("layers", headwise_find_layers_for(e.file, nullptr, nullptr));
  refuse_null("has", headwise_has_stored_check(e.file, "", nullptr));
  refuse_null("check", headwise_check_create(e.weights, "", nullptr));
  refuse_null("note", headwise_check_get(e.check, nullptr));
  refuse_null("stored", headwise_store_layer(e.weights, nullptr, nullptr));
  refuse_null("info", headwise_stored_layer_get(e.stored, nullptr));
  refuse_null("tensor", headwise_stored_layer_tensor(e.stored, 0, nullptr));
  refuse_null("key", headwise_stored_layer_metadata(e.stored, 0, nullptr, &text));
  refuse_null("value", headwise_stored_layer_metadata(e.stored, 0, &text, nullptr));
  CHECK(text == nullptr);
  refuse_null("count", headwise_family_count(nullptr));
  refuse_null("info", headwise_family_get(0, nullptr));
  refuse_null("tensor", headwise_read_npy(give_nothing, nullptr, "x", nullptr));
  refuse_null("count", headwise_layers_count(e.layers, nullptr));
  refuse_null("info", headwise_layers_get(e.layers, 0, nullptr));
  refuse_null("info", headwise_layers_part(e.layers, 0, 0, nullptr));
  refuse_null("num_heads", headwise_heads_from_config(e.path, nullptr));
  refuse_null("weights", headwise_weights_load(e.path, nullptr, nullptr));
  refuse_null("weights", headwise_weights_from_file(e.file, nullptr, nullptr));
  refuse_null("weights", headwise_weights_random(&e.config, 1, nullptr));
  refuse_null("weights", headwise_weights_create(&e.config, nullptr));
  refuse_null("tensor", headwise_weights_get(e.weights, HEADWISE_SINKS, nullptr));
  refuse_null("config", headwise_weights_config(e.weights, nullptr));
  refuse_null("weights", headwise_keep_heads(e.weights, shape, 1, nullptr));
  refuse_null("model", headwise_model_create(e.weights, nullptr, nullptr));
  refuse_null("model", headwise_model_without_projections(e.weights, nullptr, nullptr));
  refuse_null("shared", headwise_model_share(e.model, nullptr));
  refuse_null("config", headwise_model_config(e.model, nullptr));
  refuse_null("isa", headwise_model_isa(e.model, nullptr));
  refuse_null("session", headwise_session_create(e.model, nullptr, nullptr));
  refuse_null("threads", headwise_session_threads(e.session, nullptr));
  refuse_null("explanation", headwise_session_explain(e.session, &e.call.inputs, &e.call.outputs, nullptr));
  refuse_null("profile", headwise_session_profile(e.session, &e.call.inputs, &e.call.outputs, nullptr, nullptr));
  refuse_null("info", headwise_explanation_get(e.explanation, nullptr));
  refuse_null("info", headwise_explanation_step(e.explanation, 0, nullptr));
  refuse_null("plan", headwise_profile_plan(e.profile, nullptr));
  refuse_null("info", headwise_profile_get(e.profile, nullptr));
  refuse_null("time", headwise_profile_step(e.profile, 0, 0, nullptr));
  refuse_null("time", headwise_profile_thread(e.profile, 0, nullptr));
  refuse_null("span", headwise_profile_span(e.profile, 0, nullptr));
  refuse_null("cache", headwise_cache_create(&e.config, &e.cache_options, nullptr));
  refuse_null("info", headwise_cache_info_get(e.cache, nullptr));
  refuse_null("length", headwise_cache_length(e.cache, 0, nullptr));
  refuse_null("oldest", headwise_cache_oldest(e.cache, 0, nullptr));
  refuse_null("fork", headwise_cache_fork(e.cache, nullptr));
  refuse_null("keys", headwise_cache_keys(e.cache, nullptr));
  refuse_null("values", headwise_cache_values(e.cache, nullptr));
  refuse_null("flag", headwise_cancel_flag_create(nullptr));
  refuse_null("executor", headwise_executor_create(1, nullptr));
  refuse_null("limits", headwise_thread_limits_get(nullptr));
  refuse_null("info", headwise_build_info_get(nullptr));
  refuse_null("count", headwise_isa_count(nullptr));
  refuse_null("info", headwise_isa_get(0, nullptr));
  refuse_null("resolved", headwise_resolve_isa("reference", nullptr));
  refuse_null("flops", headwise_measure_fma_peak(nullptr, nullptr));
  refuse_null("bytes", headwise_measure_read_bandwidth(1024, nullptr, nullptr));
  refuse_null("count", headwise_memory_level_count(1, nullptr));
  refuse_null("level", headwise_memory_level_get(1, 0, nullptr));
  check_ok(headwise_rotary_frequencies(&rotary, 1, numbers));
}
