#include "bench_call.hpp"

#include "layer_job.hpp"

namespace headwise::tools {
namespace {

AttentionConfig config_of(const BenchShape& shape) {
  AttentionConfig config;
  config.model_dim = shape.width;
  config.num_heads = shape.heads;
  config.num_kv_heads = shape.kv_heads;
  config.head_dim = shape.head_dim;
  return resolve(config);
}

// What is left of a layer when its projections are taken away.
AttentionWeights core_of(AttentionWeights weights) {
  for (Tensor AttentionWeights::*matrix :
       {&AttentionWeights::query_weight, &AttentionWeights::key_weight, &AttentionWeights::value_weight,
        &AttentionWeights::output_weight, &AttentionWeights::query_bias, &AttentionWeights::key_bias,
        &AttentionWeights::value_bias, &AttentionWeights::output_bias}) {
    weights.*matrix = Tensor();
  }
  const AttentionConfig& old = weights.config;
  weights.config.model_dim = old.num_heads * old.head_dim;
  weights.config.key_input_dim = weights.config.value_input_dim = weights.config.output_dim = 0;
  return weights;
}

std::string model_key(const BenchCase& what) {
  const BenchShape& s = what.shape;
  return name_of(part_names(), what.part) + " " + to_text({1, 1, s.width, s.heads, s.kv_heads, s.head_dim, 0}) + " " +
         what.isa;
}

// Matrices packed for the fused and for the separate products, and the f32 originals while they are made.
double model_bytes(const AttentionConfig& c) {
  const auto rows = static_cast<double>(c.num_heads * c.head_dim + c.num_kv_heads * (c.head_dim + c.value_dim));
  return 4.0 * 3 * (rows + static_cast<double>(c.output_dim)) * static_cast<double>(c.model_dim);
}

// Query, key, value, output and what lies between them; they are f32 while they are made.
double tensor_bytes(const BenchCase& what, const AttentionConfig& c) {
  const auto batch = static_cast<double>(what.shape.batch), heads = static_cast<double>(c.num_heads);
  const auto rows = static_cast<double>(what.shape.length), keys = static_cast<double>(what.shape.key_length());
  const double width = heads * static_cast<double>(c.head_dim);
  const double weights = what.ask == BenchAsk::weights ? 4 * batch * heads * rows * keys : 0;
  return 4 * batch * (3 * rows + 2 * keys) * width + weights;
}

}  // namespace

double bench_bytes(const std::vector<BenchCase>& cases, const AttentionWeights* layer) {
  std::map<std::string, double> models;
  double bytes = 0;
  for (const BenchCase& what : cases) {
    const AttentionConfig config = layer != nullptr ? resolve(layer->config) : config_of(what.shape);
    bytes += tensor_bytes(what, config);
    if (what.part == BenchPart::layer) models[model_key(what)] = model_bytes(config);
  }
  for (const auto& [key, size] : models) bytes += size;
  return bytes;
}

BenchCall::BenchCall(const BenchCase& what, const BenchModel& model)
    : session_(model.attention, {what.threads, Schedule::automatic}) {
  make_bench_tensors(what, model, tensors_);
}

// What a call appends to the cache is forgotten again, so that all calls do the same.
void BenchCall::run() {
  session_.run(tensors_.inputs, tensors_.outputs);
  if (!tensors_.cache) return;
  for (std::int64_t row = 0; row < tensors_.cache->batch(); ++row) tensors_.cache->roll_back(row, 1);
}

AttentionWeights BenchModels::weights(const BenchCase& what) const {
  const bool core = what.part == BenchPart::core;
  if (layer_ != nullptr) return core ? core_of(*layer_) : *layer_;
  if (!core) return random_weights(config_of(what.shape), 1);
  AttentionWeights none;
  none.config = config_of(what.shape);
  return none;
}

const BenchModel& BenchModels::model(const BenchCase& what) {
  const std::string key = model_key(what);
  const auto found = models_.find(key);
  if (found != models_.end()) return found->second;
  ModelOptions options;
  options.isa = what.isa;
  const AttentionWeights made = weights(what);
  MultiHeadAttention model = what.part == BenchPart::core ? MultiHeadAttention::without_projections(made, options)
                                                          : MultiHeadAttention(made, options);
  return models_.emplace(key, BenchModel{std::move(model), extra_keys(made)}).first->second;
}

}  // namespace headwise::tools
