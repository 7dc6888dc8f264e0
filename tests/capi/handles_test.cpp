// NULL for every handle of every function. Freeing nothing does nothing.
#include "everything.hpp"

using namespace headwise;

namespace {

std::int32_t take_nothing(const void*, std::size_t, void*) {
  return 1;
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
  refuse_null("tensor", headwise_tensor_view(nullptr, &view));
  refuse_null("tensor", headwise_tensor_mutable_view(nullptr, &mutable_view));
  refuse_null("tensor", headwise_save_npy("x.npy", nullptr));
  refuse_null("tensor", headwise_write_npy(take_nothing, nullptr, nullptr));
  refuse_null("from", headwise_convert(nullptr, HEADWISE_F32, tensor.to()));
  auto file_info = ready<headwise_file_info>();
  auto tensor_info = ready<headwise_tensor_info>();
  refuse_null("file", headwise_file_info_get(nullptr, &file_info));
  refuse_null("file", headwise_file_tensor(nullptr, 0, &tensor_info));
  refuse_null("file", headwise_file_find(nullptr, "a", &number));
  refuse_null("file", headwise_file_metadata(nullptr, 0, &text, &other));
  refuse_null("file", headwise_file_read(nullptr, "a", nullptr, nullptr, tensor.to()));
  refuse_null("file", headwise_find_layers(nullptr, layers.to()));
  refuse_null("file", headwise_find_layers_for(nullptr, nullptr, layers.to()));
  refuse_null("file", headwise_has_stored_check(nullptr, "", &threads));
  refuse_null("file", headwise_check_stored(nullptr, "", e.weights));
  refuse_null("weights", headwise_check_stored(e.file, "", nullptr));
  refuse_null("weights", headwise_check_create(nullptr, "", check.to()));
  refuse_null("weights", headwise_store_layer(nullptr, nullptr, stored.to()));
  refuse_null("check", headwise_check_get(nullptr, &note));
  auto stored_info = ready<headwise_stored_layer_info>();
  refuse_null("stored", headwise_stored_layer_get(nullptr, &stored_info));
  refuse_null("stored", headwise_stored_layer_tensor(nullptr, 0, &named));
  refuse_null("stored", headwise_stored_layer_metadata(nullptr, 0, &text, &other));
  refuse_null("file", headwise_weights_from_file(nullptr, nullptr, weights.to()));
  auto layer = ready<headwise_layer_info>();
  auto part = ready<headwise_layer_part>();
  refuse_null("layers", headwise_layers_count(nullptr, &number));
  refuse_null("layers", headwise_layers_get(nullptr, 0, &layer));
  refuse_null("layers", headwise_layers_part(nullptr, 0, 0, &part));
  refuse_null("layers", headwise_layers_candidate(nullptr, 0, 0, &text));
  refuse_null("weights", headwise_weights_set(nullptr, HEADWISE_SINKS, nullptr));
  refuse_null("weights", headwise_weights_get(nullptr, HEADWISE_SINKS, &view));
  refuse_null("weights", headwise_weights_config(nullptr, &config));
  refuse_null("weights", headwise_keep_heads(nullptr, &number, 1, weights.to()));
  refuse_null("weights", headwise_model_create(nullptr, nullptr, model.to()));
  refuse_null("weights", headwise_model_without_projections(nullptr, nullptr, model.to()));
  refuse_null("model", headwise_model_share(nullptr, model.to()));
  refuse_null("model", headwise_model_config(nullptr, &config));
  refuse_null("model", headwise_model_isa(nullptr, &text));
  refuse_null("model", headwise_session_create(nullptr, nullptr, session.to()));
  refuse_null("session", headwise_session_threads(nullptr, &threads));
  refuse_null("executor", headwise_executor_threads(nullptr, &threads));
  refuse_null("session", headwise_session_run(nullptr, &e.call.inputs, &e.call.outputs));
  refuse_null("session", headwise_session_append(nullptr, e.cache, &e.call.inputs));
  refuse_null("cache", headwise_session_append(e.session, nullptr, &e.call.inputs));
  refuse_null("session", headwise_session_explain(nullptr, &e.call.inputs, &e.call.outputs, explanation.to()));
  refuse_null("session", headwise_session_profile(nullptr, &e.call.inputs, &e.call.outputs, nullptr, profile.to()));
  auto info = ready<headwise_explanation_info>();
  auto step = ready<headwise_step_info>();
  refuse_null("explanation", headwise_explanation_get(nullptr, &info));
  refuse_null("explanation", headwise_explanation_step(nullptr, 0, &step));
  refuse_null("explanation", headwise_explanation_reason(nullptr, 0, &text));
  auto profile_info = ready<headwise_profile_info>();
  auto step_time = ready<headwise_step_time>();
  auto part_time = ready<headwise_part_time>();
  auto thread_time = ready<headwise_thread_time>();
  auto span = ready<headwise_span>();
  auto counter = ready<headwise_counter>();
  refuse_null("profile", headwise_profile_plan(nullptr, &plan));
  refuse_null("profile", headwise_profile_get(nullptr, &profile_info));
  refuse_null("profile", headwise_profile_step(nullptr, 0, 0, &step_time));
  refuse_null("profile", headwise_profile_part(nullptr, 0, 0, &part_time));
  refuse_null("profile", headwise_profile_thread(nullptr, 0, &thread_time));
  refuse_null("profile", headwise_profile_span(nullptr, 0, &span));
  refuse_null("profile", headwise_profile_counter(nullptr, 0, &counter));
  auto cache_info = ready<headwise_cache_info>();
  refuse_null("cache", headwise_cache_info_get(nullptr, &cache_info));
  refuse_null("cache", headwise_cache_length(nullptr, 0, &number));
  refuse_null("cache", headwise_cache_oldest(nullptr, 0, &number));
  refuse_null("cache", headwise_cache_append(nullptr, &view, &view, nullptr));
  refuse_null("cache", headwise_cache_truncate(nullptr, 0, 0));
  refuse_null("cache", headwise_cache_roll_back(nullptr, 0, 0));
  refuse_null("cache", headwise_cache_clear(nullptr));
  refuse_null("cache", headwise_cache_fork(nullptr, cache.to()));
  refuse_null("cache", headwise_cache_copy_row(nullptr, 0, 0));
  refuse_null("cache", headwise_cache_keys(nullptr, &view));
  refuse_null("cache", headwise_cache_values(nullptr, &view));
}

TEST_CASE("C handles: freeing NULL does nothing, and a flag of NULL is never set") {
  headwise_tensor_free(nullptr);
  headwise_tokenizer_free(nullptr);
  headwise_encoding_free(nullptr);
  headwise_sentence_free(nullptr);
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
