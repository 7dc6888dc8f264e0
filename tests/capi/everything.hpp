// For tests that spoil one argument of a call.
#pragma once

#include "c_objects.hpp"

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
  headwise::Tensor x = filled({1, 3, 32}, 0.5F), y{{1, 3, 32}};
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

// NULL was given for `name`.
inline void refuse_null(const char* name, headwise_status status) {
  check_invalid({name, "NULL"}, status);
}
