// A plugin that uses headwise through C, for hosts that load and unload it (plugin_host.cpp).
#include <headwise/headwise.h>

#include <cstring>
#include <vector>

namespace {

constexpr int64_t rows = 256, width = 96;

struct Handles {
  headwise_weights* weights = nullptr;
  headwise_model* model = nullptr;
  headwise_executor* executor = nullptr;
  headwise_session* session = nullptr;
  ~Handles() {
    headwise_session_free(session);
    headwise_executor_free(executor);
    headwise_model_free(model);
    headwise_weights_free(weights);
  }
};

bool make(Handles& handles, int threads, bool shared) {
  headwise_config config;
  HEADWISE_INIT(config);
  config.model_dim = width;
  config.num_heads = 6;
  headwise_session_options options;
  HEADWISE_INIT(options);
  options.schedule = HEADWISE_SCHEDULE_WIDE;
  if (!shared) options.threads = threads;
  if (headwise_weights_random(&config, 1, &handles.weights) != HEADWISE_OK ||
      headwise_model_create(handles.weights, nullptr, &handles.model) != HEADWISE_OK ||
      (shared && headwise_executor_create(threads, &handles.executor) != HEADWISE_OK)) {
    return false;
  }
  options.executor = handles.executor;
  return headwise_session_create(handles.model, &options, &handles.session) == HEADWISE_OK;
}

}  // namespace

// Runs a layer on so many threads, of OpenMP or of an executor. Returns a number that the bits of the output give, 0
// for a failure.
extern "C" __attribute__((visibility("default"))) uint64_t plugin_run(int threads, int shared) {
  Handles handles;
  if (!make(handles, threads, shared != 0)) return 0;
  std::vector<float> x(rows * width), y(x.size());
  for (size_t i = 0; i < x.size(); ++i) x[i] = float(i % 251) / 125 - 1;
  const headwise_view query = {x.data(), HEADWISE_F32, 2, {rows, width}, nullptr};
  const headwise_mutable_view output = {y.data(), HEADWISE_F32, 2, {rows, width}, nullptr};
  headwise_inputs inputs;
  headwise_outputs outputs;
  HEADWISE_INIT(inputs);
  HEADWISE_INIT(outputs);
  inputs.query = inputs.key = inputs.value = &query;
  outputs.output = &output;
  if (headwise_session_run(handles.session, &inputs, &outputs) != HEADWISE_OK) return 0;
  uint64_t sum = 1;
  for (const float value : y) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    sum = sum * 1099511628211U + bits;
  }
  return sum;
}
