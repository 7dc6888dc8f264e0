// NULL for every pointer of every function. Freeing nothing does nothing.
#include <cmath>

#include "c_objects.hpp"
#include "temporary_folder.hpp"

using namespace headwise;

namespace {

// One of everything, so that only the pointer under test is wrong.
struct Everything {
  const char* path = HEADWISE_TEST_DATA "/tiny_bert/model.safetensors";
  OwnedTensor tensor;
  OwnedFile file;
  OwnedLayers layers;
  OwnedWeights weights;
  OwnedStoredLayer stored;
  OwnedCheck check;
  OwnedModel model;
  OwnedSession session;
  OwnedCache cache;
  OwnedExplanation explanation;
  OwnedProfile profile;
  Tensor x = filled({1, 3, 32}, 0.5F), y{{1, 3, 32}};
  CCall call{inputs_of(x, x, x), {.output = y.mutable_view()}};
  headwise_config config = ready<headwise_config>();
  headwise_cache_options cache_options = ready<headwise_cache_options>();

  Everything() {
    const std::int64_t shape[] = {2};
    check_ok(headwise_tensor_create(HEADWISE_F32, 1, shape, tensor.to()));
    check_ok(headwise_file_open(path, nullptr, file.to()));
    check_ok(headwise_find_layers(file, layers.to()));
    check_ok(headwise_weights_from_file(file, nullptr, weights.to()));
    check_ok(headwise_store_layer(weights, nullptr, stored.to()));
    check_ok(headwise_check_create(weights, "", check.to()));
    check_ok(headwise_model_create(weights, nullptr, model.to()));
    check_ok(headwise_model_config(model, &config));
    check_ok(headwise_session_create(model, nullptr, session.to()));
    cache_options.capacity = 4;
    check_ok(headwise_cache_create(&config, &cache_options, cache.to()));
    check_ok(headwise_session_explain(session, &call.inputs, &call.outputs, explanation.to()));
    check_ok(headwise_session_profile(session, &call.inputs, &call.outputs, nullptr, profile.to()));
  }
};

std::int64_t give_nothing(void*, std::size_t, void*) {
  return 0;
}
std::int32_t take_nothing(const void*, std::size_t, void*) {
  return 1;
}

void refuse(const char* name, headwise_status status) {
  check_invalid({name, "NULL"}, status);
}

}  // namespace

TEST_CASE("C handles: NULL for a handle is refused by name") {
  const Everything e;
  std::int64_t number = 0;
  std::int32_t threads = 0;
  const char* text = nullptr;
  const char* other = nullptr;
  headwise_view view{};
  headwise_mutable_view mutable_view{};
  OwnedTensor tensor;
  OwnedLayers layers;
  OwnedWeights weights;
  OwnedStoredLayer stored;
  OwnedCheck check;
  headwise_note note{};
  headwise_named_view named{};
  OwnedModel model;
  OwnedSession session;
  OwnedCache cache;
  OwnedExplanation explanation;
  OwnedProfile profile;
  const headwise_explanation* plan = nullptr;
  auto config = ready<headwise_config>();
  refuse("tensor", headwise_tensor_view(nullptr, &view));
  refuse("tensor", headwise_tensor_mutable_view(nullptr, &mutable_view));
  refuse("tensor", headwise_save_npy("x.npy", nullptr));
  refuse("tensor", headwise_write_npy(take_nothing, nullptr, nullptr));
  refuse("from", headwise_convert(nullptr, HEADWISE_F32, tensor.to()));
  auto file_info = ready<headwise_file_info>();
  auto tensor_info = ready<headwise_tensor_info>();
  refuse("file", headwise_file_info_get(nullptr, &file_info));
  refuse("file", headwise_file_tensor(nullptr, 0, &tensor_info));
  refuse("file", headwise_file_find(nullptr, "a", &number));
  refuse("file", headwise_file_metadata(nullptr, 0, &text, &other));
  refuse("file", headwise_file_read(nullptr, "a", nullptr, nullptr, tensor.to()));
  refuse("file", headwise_find_layers(nullptr, layers.to()));
  refuse("file", headwise_find_layers_for(nullptr, nullptr, layers.to()));
  refuse("file", headwise_has_stored_check(nullptr, "", &threads));
  refuse("file", headwise_check_stored(nullptr, "", e.weights));
  refuse("weights", headwise_check_stored(e.file, "", nullptr));
  refuse("weights", headwise_check_create(nullptr, "", check.to()));
  refuse("weights", headwise_store_layer(nullptr, nullptr, stored.to()));
  refuse("check", headwise_check_get(nullptr, &note));
  auto stored_info = ready<headwise_stored_layer_info>();
  refuse("stored", headwise_stored_layer_get(nullptr, &stored_info));
  refuse("stored", headwise_stored_layer_tensor(nullptr, 0, &named));
  refuse("stored", headwise_stored_layer_metadata(nullptr, 0, &text, &other));
  refuse("file", headwise_weights_from_file(nullptr, nullptr, weights.to()));
  auto layer = ready<headwise_layer_info>();
  auto part = ready<headwise_layer_part>();
  refuse("layers", headwise_layers_count(nullptr, &number));
  refuse("layers", headwise_layers_get(nullptr, 0, &layer));
  refuse("layers", headwise_layers_part(nullptr, 0, 0, &part));
  refuse("layers", headwise_layers_candidate(nullptr, 0, 0, &text));
  refuse("weights", headwise_weights_set(nullptr, HEADWISE_SINKS, nullptr));
  refuse("weights", headwise_weights_get(nullptr, HEADWISE_SINKS, &view));
  refuse("weights", headwise_weights_config(nullptr, &config));
  refuse("weights", headwise_keep_heads(nullptr, &number, 1, weights.to()));
  refuse("weights", headwise_model_create(nullptr, nullptr, model.to()));
  refuse("weights", headwise_model_without_projections(nullptr, nullptr, model.to()));
  refuse("model", headwise_model_share(nullptr, model.to()));
  refuse("model", headwise_model_config(nullptr, &config));
  refuse("model", headwise_model_isa(nullptr, &text));
  refuse("model", headwise_session_create(nullptr, nullptr, session.to()));
  refuse("session", headwise_session_threads(nullptr, &threads));
  refuse("executor", headwise_executor_threads(nullptr, &threads));
  refuse("session", headwise_session_run(nullptr, &e.call.inputs, &e.call.outputs));
  refuse("session", headwise_session_append(nullptr, e.cache, &e.call.inputs));
  refuse("cache", headwise_session_append(e.session, nullptr, &e.call.inputs));
  refuse("session", headwise_session_explain(nullptr, &e.call.inputs, &e.call.outputs, explanation.to()));
  refuse("session", headwise_session_profile(nullptr, &e.call.inputs, &e.call.outputs, nullptr, profile.to()));
  auto info = ready<headwise_explanation_info>();
  auto step = ready<headwise_step_info>();
  refuse("explanation", headwise_explanation_get(nullptr, &info));
  refuse("explanation", headwise_explanation_step(nullptr, 0, &step));
  refuse("explanation", headwise_explanation_reason(nullptr, 0, &text));
  auto profile_info = ready<headwise_profile_info>();
  auto step_time = ready<headwise_step_time>();
  auto part_time = ready<headwise_part_time>();
  auto thread_time = ready<headwise_thread_time>();
  auto span = ready<headwise_span>();
  auto counter = ready<headwise_counter>();
  refuse("profile", headwise_profile_plan(nullptr, &plan));
  refuse("profile", headwise_profile_get(nullptr, &profile_info));
  refuse("profile", headwise_profile_step(nullptr, 0, 0, &step_time));
  refuse("profile", headwise_profile_part(nullptr, 0, 0, &part_time));
  refuse("profile", headwise_profile_thread(nullptr, 0, &thread_time));
  refuse("profile", headwise_profile_span(nullptr, 0, &span));
  refuse("profile", headwise_profile_counter(nullptr, 0, &counter));
  auto cache_info = ready<headwise_cache_info>();
  refuse("cache", headwise_cache_info_get(nullptr, &cache_info));
  refuse("cache", headwise_cache_length(nullptr, 0, &number));
  refuse("cache", headwise_cache_oldest(nullptr, 0, &number));
  refuse("cache", headwise_cache_append(nullptr, &view, &view, nullptr));
  refuse("cache", headwise_cache_truncate(nullptr, 0, 0));
  refuse("cache", headwise_cache_roll_back(nullptr, 0, 0));
  refuse("cache", headwise_cache_clear(nullptr));
  refuse("cache", headwise_cache_fork(nullptr, cache.to()));
  refuse("cache", headwise_cache_copy_row(nullptr, 0, 0));
  refuse("cache", headwise_cache_keys(nullptr, &view));
  refuse("cache", headwise_cache_values(nullptr, &view));
}

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
  refuse("tensor", headwise_tensor_create(HEADWISE_F32, 1, shape, nullptr));
  refuse("view", headwise_tensor_view(e.tensor, nullptr));
  refuse("view", headwise_tensor_mutable_view(e.tensor, nullptr));
  refuse("tensor", headwise_load_npy(e.path, nullptr));
  refuse("tensor", headwise_convert(&view, HEADWISE_F16, nullptr));
  refuse("frequencies", headwise_rotary_frequencies(&rotary, 1, nullptr));
  refuse("magnitude", headwise_rotary_magnitude(&rotary, nullptr));
  refuse("slopes", headwise_alibi_slopes(4, HEADWISE_ALIBI_GEOMETRIC, 0, 4, nullptr));
  refuse("bucket", headwise_t5_bucket(1, 32, &bias, nullptr));
  refuse("file", headwise_file_open(e.path, nullptr, nullptr));
  refuse("info", headwise_file_info_get(e.file, nullptr));
  refuse("info", headwise_file_tensor(e.file, 0, nullptr));
  refuse("index", headwise_file_find(e.file, "a", nullptr));
  refuse("key", headwise_file_metadata(e.file, 0, nullptr, &text));
  refuse("value", headwise_file_metadata(e.file, 0, &text, nullptr));
  refuse("tensor", headwise_file_read(e.file, "a", nullptr, nullptr, nullptr));
  refuse("layers", headwise_find_layers(e.file, nullptr));
  refuse("layers", headwise_find_layers_for(e.file, nullptr, nullptr));
  refuse("has", headwise_has_stored_check(e.file, "", nullptr));
  refuse("check", headwise_check_create(e.weights, "", nullptr));
  refuse("note", headwise_check_get(e.check, nullptr));
  refuse("stored", headwise_store_layer(e.weights, nullptr, nullptr));
  refuse("info", headwise_stored_layer_get(e.stored, nullptr));
  refuse("tensor", headwise_stored_layer_tensor(e.stored, 0, nullptr));
  refuse("key", headwise_stored_layer_metadata(e.stored, 0, nullptr, &text));
  refuse("value", headwise_stored_layer_metadata(e.stored, 0, &text, nullptr));
  CHECK(text == nullptr);
  refuse("count", headwise_family_count(nullptr));
  refuse("info", headwise_family_get(0, nullptr));
  refuse("tensor", headwise_read_npy(give_nothing, nullptr, "x", nullptr));
  refuse("count", headwise_layers_count(e.layers, nullptr));
  refuse("info", headwise_layers_get(e.layers, 0, nullptr));
  refuse("info", headwise_layers_part(e.layers, 0, 0, nullptr));
  refuse("num_heads", headwise_heads_from_config(e.path, nullptr));
  refuse("weights", headwise_weights_load(e.path, nullptr, nullptr));
  refuse("weights", headwise_weights_from_file(e.file, nullptr, nullptr));
  refuse("weights", headwise_weights_random(&e.config, 1, nullptr));
  refuse("weights", headwise_weights_create(&e.config, nullptr));
  refuse("tensor", headwise_weights_get(e.weights, HEADWISE_SINKS, nullptr));
  refuse("config", headwise_weights_config(e.weights, nullptr));
  refuse("weights", headwise_keep_heads(e.weights, shape, 1, nullptr));
  refuse("model", headwise_model_create(e.weights, nullptr, nullptr));
  refuse("model", headwise_model_without_projections(e.weights, nullptr, nullptr));
  refuse("shared", headwise_model_share(e.model, nullptr));
  refuse("config", headwise_model_config(e.model, nullptr));
  refuse("isa", headwise_model_isa(e.model, nullptr));
  refuse("session", headwise_session_create(e.model, nullptr, nullptr));
  refuse("threads", headwise_session_threads(e.session, nullptr));
  refuse("explanation", headwise_session_explain(e.session, &e.call.inputs, &e.call.outputs, nullptr));
  refuse("profile", headwise_session_profile(e.session, &e.call.inputs, &e.call.outputs, nullptr, nullptr));
  refuse("info", headwise_explanation_get(e.explanation, nullptr));
  refuse("info", headwise_explanation_step(e.explanation, 0, nullptr));
  refuse("plan", headwise_profile_plan(e.profile, nullptr));
  refuse("info", headwise_profile_get(e.profile, nullptr));
  refuse("time", headwise_profile_step(e.profile, 0, 0, nullptr));
  refuse("time", headwise_profile_thread(e.profile, 0, nullptr));
  refuse("span", headwise_profile_span(e.profile, 0, nullptr));
  refuse("cache", headwise_cache_create(&e.config, &e.cache_options, nullptr));
  refuse("info", headwise_cache_info_get(e.cache, nullptr));
  refuse("length", headwise_cache_length(e.cache, 0, nullptr));
  refuse("oldest", headwise_cache_oldest(e.cache, 0, nullptr));
  refuse("fork", headwise_cache_fork(e.cache, nullptr));
  refuse("keys", headwise_cache_keys(e.cache, nullptr));
  refuse("values", headwise_cache_values(e.cache, nullptr));
  refuse("flag", headwise_cancel_flag_create(nullptr));
  refuse("executor", headwise_executor_create(1, nullptr));
  refuse("limits", headwise_thread_limits_get(nullptr));
  refuse("info", headwise_build_info_get(nullptr));
  refuse("count", headwise_isa_count(nullptr));
  refuse("info", headwise_isa_get(0, nullptr));
  refuse("resolved", headwise_resolve_isa("reference", nullptr));
  refuse("flops", headwise_measure_fma_peak(nullptr, nullptr));
  refuse("bytes", headwise_measure_read_bandwidth(1024, nullptr, nullptr));
  refuse("count", headwise_memory_level_count(1, nullptr));
  refuse("level", headwise_memory_level_get(1, 0, nullptr));
  check_ok(headwise_rotary_frequencies(&rotary, 1, numbers));
}

TEST_CASE("C handles: NULL for a struct, a text, a list or a tensor that is needed") {
  const Everything e;
  std::int64_t number = 0;
  double real = 0;
  headwise_mutable_view output{};
  OwnedTensor tensor;
  OwnedFile file;
  OwnedWeights weights;
  OwnedCache cache;
  OwnedCheck check;
  std::int32_t flag = 0;
  auto rotary_inputs = ready<headwise_rotary_inputs>();
  refuse("shape", headwise_tensor_create(HEADWISE_F32, 1, nullptr, tensor.to()));
  check_ok(headwise_tensor_create(HEADWISE_F32, 0, nullptr, tensor.to()));
  refuse("path", headwise_load_npy(nullptr, tensor.to()));
  refuse("path", headwise_save_npy(nullptr, e.call.inputs.query));
  refuse("config", headwise_rotary_frequencies(nullptr, 1, &real));
  refuse("config", headwise_rotary_magnitude(nullptr, &real));
  refuse("inputs", headwise_apply_rotary(nullptr, &output));
  refuse("input", headwise_apply_rotary(&rotary_inputs, &output));
  rotary_inputs.input = e.call.inputs.query;
  refuse("output", headwise_apply_rotary(&rotary_inputs, nullptr));
  refuse("config", headwise_t5_bucket(1, 32, nullptr, &number));
  refuse("config", headwise_resolve_config(nullptr));
  refuse("path", headwise_file_open(nullptr, nullptr, file.to()));
  refuse("name", headwise_file_find(e.file, nullptr, &number));
  refuse("prefix", headwise_has_stored_check(e.file, nullptr, &flag));
  refuse("prefix", headwise_check_stored(e.file, nullptr, e.weights));
  refuse("prefix", headwise_check_create(e.weights, nullptr, check.to()));
  refuse("reader", headwise_read_npy(nullptr, nullptr, "x", tensor.to()));
  refuse("name", headwise_read_npy(give_nothing, nullptr, nullptr, tensor.to()));
  refuse("writer", headwise_write_npy(nullptr, nullptr, e.call.inputs.query));
  refuse("path", headwise_save_safetensors(nullptr, nullptr, 0, nullptr, 0));
  refuse("path", headwise_save_npz(nullptr, nullptr, 0));
  refuse("name", headwise_file_read(e.file, nullptr, nullptr, nullptr, tensor.to()));
  refuse("weight_file", headwise_heads_from_config(nullptr, &number));
  refuse("path", headwise_weights_load(nullptr, nullptr, weights.to()));
  refuse("config", headwise_weights_random(nullptr, 1, weights.to()));
  refuse("config", headwise_weights_create(nullptr, weights.to()));
  refuse("heads", headwise_keep_heads(e.weights, nullptr, 1, weights.to()));
  check_invalid({"heads", "negative"}, headwise_keep_heads(e.weights, &number, -1, weights.to()));
  refuse("inputs", headwise_session_run(e.session, nullptr, &e.call.outputs));
  refuse("outputs", headwise_session_run(e.session, &e.call.inputs, nullptr));
  refuse("inputs", headwise_session_append(e.session, e.cache, nullptr));
  refuse("config", headwise_cache_create(nullptr, &e.cache_options, cache.to()));
  refuse("options", headwise_cache_create(&e.config, nullptr, cache.to()));
  refuse("slices", headwise_merge_partials(nullptr, 1, &output, nullptr));
  check_invalid({"slices", "negative"}, headwise_merge_partials(nullptr, -1, &output, nullptr));
  check_invalid({}, headwise_merge_partials(nullptr, 0, &output, nullptr));
  check_invalid({"key"}, headwise_cache_append(e.cache, nullptr, nullptr, nullptr));
  check_invalid({"cache"}, headwise_scatter_rows(nullptr, nullptr, nullptr, 0));
  CHECK(weights.handle == nullptr);
}

TEST_CASE("C handles: places outside of a list") {
  const Everything e;
  const char* text = nullptr;
  const char* other = nullptr;
  auto tensor = ready<headwise_tensor_info>();
  auto layer = ready<headwise_layer_info>();
  auto part = ready<headwise_layer_part>();
  auto step = ready<headwise_step_info>();
  auto step_time = ready<headwise_step_time>();
  auto part_time = ready<headwise_part_time>();
  auto thread_time = ready<headwise_thread_time>();
  auto span = ready<headwise_span>();
  auto counter = ready<headwise_counter>();
  auto isa = ready<headwise_isa_info>();
  auto level = ready<headwise_memory_level>();
  auto family = ready<headwise_family_info>();
  headwise_named_view named{};
  headwise_view view{};
  for (const std::int64_t at : {std::int64_t{-2}, std::int64_t{1} << 40, INT64_MAX, INT64_MIN}) {
    const std::string number = std::to_string(at);
    check_invalid({"index", number}, headwise_file_tensor(e.file, at, &tensor));
    check_invalid({"index", number}, headwise_file_metadata(e.file, at, &text, &other));
    check_invalid({"index", number}, headwise_layers_get(e.layers, at, &layer));
    check_invalid({"index", number}, headwise_layers_part(e.layers, at, 0, &part));
    check_invalid({"part", number}, headwise_layers_part(e.layers, 0, at, &part));
    check_invalid({"index", number}, headwise_layers_candidate(e.layers, at, 0, &text));
    check_invalid({"candidate", "there is none"}, headwise_layers_candidate(e.layers, 0, at, &text));
    check_invalid({"index", number}, headwise_stored_layer_tensor(e.stored, at, &named));
    check_invalid({"index", number}, headwise_stored_layer_metadata(e.stored, at, &text, &other));
    check_invalid({"index", number}, headwise_family_get(at, &family));
    check_invalid({"index", number}, headwise_explanation_step(e.explanation, at, &step));
    check_invalid({"index", number}, headwise_explanation_reason(e.explanation, at, &text));
    check_invalid({"step", number}, headwise_profile_step(e.profile, at, 0, &step_time));
    check_invalid({"thread", number}, headwise_profile_step(e.profile, 0, at, &step_time));
    check_invalid({"step", number}, headwise_profile_part(e.profile, at, 0, &part_time));
    check_invalid({"part", number}, headwise_profile_part(e.profile, 0, at, &part_time));
    check_invalid({"thread", number}, headwise_profile_thread(e.profile, at, &thread_time));
    check_invalid({"index", number}, headwise_profile_span(e.profile, at, &span));
    check_invalid({"index", "there is none"}, headwise_profile_counter(e.profile, at, &counter));
    check_invalid({"index", number}, headwise_isa_get(at, &isa));
    check_invalid({"index", number}, headwise_memory_level_get(1, at, &level));
    check_invalid({"row"}, headwise_cache_truncate(e.cache, at, 0));
  }
  for (const std::int32_t part_number : {-1, std::int32_t{HEADWISE_NUM_PARTS}, INT32_MAX, INT32_MIN}) {
    check_invalid({"part"}, headwise_weights_get(e.weights, part_number, &view));
    check_invalid({"part"}, headwise_weights_set(e.weights, part_number, nullptr));
  }
}

TEST_CASE("C handles: freeing NULL does nothing, and a flag of NULL is never set") {
  headwise_tensor_free(nullptr);
  headwise_file_free(nullptr);
  headwise_layers_free(nullptr);
  headwise_weights_free(nullptr);
  headwise_stored_layer_free(nullptr);
  headwise_check_free(nullptr);
  headwise_model_free(nullptr);
  headwise_session_free(nullptr);
  headwise_cache_free(nullptr);
  headwise_explanation_free(nullptr);
  headwise_profile_free(nullptr);
  headwise_cancel_flag_free(nullptr);
  headwise_executor_free(nullptr);
  headwise_cancel_flag_set(nullptr);
  headwise_cancel_flag_clear(nullptr);
  CHECK(headwise_cancel_flag_is_set(nullptr) == 0);
}
