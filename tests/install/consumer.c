/* A C program as users write it: makes a layer, runs it and reads an error. Prints one line. */
#include <headwise/headwise.h>
#include <stdio.h>

enum { ROWS = 10, WIDTH = 64 };

static int fail(const char* what) {
  fprintf(stderr, "%s: %s\n", what, headwise_last_error());
  return 1;
}

static int make_model(headwise_model** model) {
  headwise_config config;
  headwise_weights* weights = NULL;
  HEADWISE_INIT(config);
  config.model_dim = WIDTH;
  config.num_heads = 4;
  if (headwise_weights_random(&config, 1, &weights) != HEADWISE_OK) return fail("weights");
  const headwise_status status = headwise_model_create(weights, NULL, model);
  headwise_weights_free(weights);
  return status == HEADWISE_OK ? 0 : fail("model");
}

static headwise_status run(headwise_session* session, const float* from, float* to, int64_t width) {
  const headwise_view query = {from, HEADWISE_F32, 2, {ROWS, width}, NULL};
  const headwise_mutable_view output = {to, HEADWISE_F32, 2, {ROWS, WIDTH}, NULL};
  headwise_inputs inputs;
  headwise_outputs outputs;
  HEADWISE_INIT(inputs);
  HEADWISE_INIT(outputs);
  inputs.query = inputs.key = inputs.value = &query;
  outputs.output = &output;
  return headwise_session_run(session, &inputs, &outputs);
}

int main(void) {
  static float x[ROWS * WIDTH], y[ROWS * WIDTH];
  headwise_model* model = NULL;
  headwise_session* session = NULL;
  for (int i = 0; i < ROWS * WIDTH; ++i) x[i] = (float)(i % 7);
  if (make_model(&model) != 0) return 1;
  if (headwise_session_create(model, NULL, &session) != HEADWISE_OK) return fail("session");
  if (run(session, x, y, WIDTH) != HEADWISE_OK) return fail("run");
  if (run(session, x, y, WIDTH - 1) != HEADWISE_INVALID_ARGUMENT) return fail("a wrong width was taken");
  printf("headwise %s %.9g\n", headwise_version(), (double)y[100]);
  headwise_session_free(session);
  headwise_model_free(model);
  return 0;
}
