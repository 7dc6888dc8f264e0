/* headwise from C11: a layer from a file, a whole call, token by token with a cache, and errors in words. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "headwise/headwise.h"

#define LENGTH 6
#define WIDTH 32

static int failures = 0;

static void check(int good, const char* what) {
  if (good) return;
  ++failures;
  printf("failed: %s (%s)\n", what, headwise_last_error());
}

static void check_ok(headwise_status status, const char* what) {
  check(status == HEADWISE_OK, what);
}

static headwise_model* load_model(const char* path) {
  headwise_load_options options;
  headwise_weights* weights = NULL;
  headwise_model* model = NULL;
  HEADWISE_INIT(options);
  options.layer = 1;
  check_ok(headwise_weights_load(path, &options, &weights), "load");
  check_ok(headwise_model_create(weights, NULL, &model), "create a model");
  headwise_weights_free(weights);
  return model;
}

static void run_whole(headwise_session* session, const float* x, float* y) {
  const headwise_view input = {x, HEADWISE_F32, 3, {1, LENGTH, WIDTH}, NULL};
  const headwise_mutable_view output = {y, HEADWISE_F32, 3, {1, LENGTH, WIDTH}, NULL};
  headwise_inputs inputs;
  headwise_outputs outputs;
  HEADWISE_INIT(inputs);
  HEADWISE_INIT(outputs);
  inputs.query = inputs.key = inputs.value = &input;
  inputs.causal = 1;
  outputs.output = &output;
  check_ok(headwise_session_run(session, &inputs, &outputs), "run");
}

static void run_token(headwise_session* session, headwise_cache* cache, const float* x, float* y) {
  const headwise_view input = {x, HEADWISE_F32, 3, {1, 1, WIDTH}, NULL};
  const headwise_mutable_view output = {y, HEADWISE_F32, 3, {1, 1, WIDTH}, NULL};
  headwise_inputs inputs;
  headwise_outputs outputs;
  HEADWISE_INIT(inputs);
  HEADWISE_INIT(outputs);
  inputs.query = inputs.key = inputs.value = &input;
  inputs.causal = 1;
  inputs.cache = cache;
  outputs.output = &output;
  check_ok(headwise_session_run(session, &inputs, &outputs), "run a token");
}

static headwise_cache* make_cache(const headwise_model* model) {
  headwise_config config;
  headwise_cache_options options;
  headwise_cache* cache = NULL;
  HEADWISE_INIT(config);
  HEADWISE_INIT(options);
  options.capacity = LENGTH;
  check_ok(headwise_model_config(model, &config), "read a config");
  check_ok(headwise_cache_create(&config, &options, &cache), "create a cache");
  return cache;
}

static void decode(const headwise_model* model, headwise_session* session, const float* x, const float* expected) {
  float y[WIDTH];
  int64_t length = 0;
  headwise_cache* cache = make_cache(model);
  for (int t = 0; t < LENGTH; ++t) {
    run_token(session, cache, x + t * WIDTH, y);
    for (int i = 0; i < WIDTH; ++i) check(fabsf(y[i] - expected[t * WIDTH + i]) < 1e-5f, "a token's row");
  }
  check_ok(headwise_cache_length(cache, 0, &length), "read a length");
  check(length == LENGTH, "the cache's length");
  headwise_cache_free(cache);
}

static void check_errors(const char* path) {
  headwise_weights* weights = NULL;
  check(headwise_weights_load("no such file", NULL, &weights) == HEADWISE_IO, "a missing file is HEADWISE_IO");
  check(strstr(headwise_last_error(), "no such file") != NULL, "the message names the file");
  check(headwise_weights_load(path, NULL, NULL) == HEADWISE_INVALID_ARGUMENT, "a missing result is refused");
  check(weights == NULL, "nothing was written");
}

int main(int count, char** arguments) {
  float x[LENGTH * WIDTH], y[LENGTH * WIDTH] = {0};
  headwise_session* session = NULL;
  headwise_model* model = NULL;
  if (count != 2) return 2;
  for (int i = 0; i < LENGTH * WIDTH; ++i) x[i] = (float)(i % 13) / 8 - 0.75f;
  model = load_model(arguments[1]);
  check_ok(headwise_session_create(model, NULL, &session), "create a session");
  run_whole(session, x, y);
  check(y[0] != 0 && y[LENGTH * WIDTH - 1] != 0, "the output is written");
  decode(model, session, x, y);
  check_errors(arguments[1]);
  headwise_session_free(session);
  headwise_model_free(model);
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
