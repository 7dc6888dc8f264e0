#include "layer_job.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "input_files.hpp"
#include "text.hpp"

namespace headwise::tools {
namespace {

AttentionLayer chosen_layer(const SafetensorsFile& file, const LoadOptions& load, std::int64_t& count) {
  AttentionLayer chosen;
  count = 0;
  for (const AttentionLayer& layer : find_attention_layers(file)) {
    const bool prefix_fits = load.prefix.empty() || layer.prefix == load.prefix || layer.prefix == load.prefix + ".";
    if (!prefix_fits || (!load.family.empty() && layer.family != load.family)) continue;
    if (count++ == load.layer) chosen = layer;
  }
  return chosen;
}

void check_rank(const char* role, const TensorView& tensor) {
  if (tensor.shape.rank() == 2 || tensor.shape.rank() == 3) return;
  throw CommandError(std::string(role) + " has shape " + to_string(tensor.shape) +
                     "; make it [batch, length, width] or [length, width]");
}

// The file itself is sound once it is open: its list of tensors says more than advice about damage.
AttentionWeights load_weights(const SafetensorsFile& file, const LoadOptions& load) try {
  return load_attention(file, load);
} catch (const Error& error) {
  if (error.code() != ErrorCode::bad_file && error.code() != ErrorCode::invalid_argument) throw;
  throw CommandError(std::string(error.what()) + "; 'headwise inspect' shows layers and tensors");
}

}  // namespace

LoadedLayer load_layer(const LayerOptions& options, const Console& console) {
  ProgressBar bar(console, "loading " + std::filesystem::path(options.file).filename().string());
  LoadOptions load = options.load;
  load.open.progress = [&bar](std::uint64_t done, std::uint64_t total) { bar.update(done, total); };
  const SafetensorsFile file = SafetensorsFile::open(options.file, load.open);
  LoadedLayer loaded;
  loaded.layer = chosen_layer(file, load, loaded.layer_count);
  if (loaded.layer_count > load.layer && load.num_heads == 0 && !heads_from_config(options.file)) {
    throw CommandError("the number of heads is not known: no config.json beside " + options.file +
                       " tells it; give --heads");
  }
  loaded.weights = load_weights(file, load);
  return loaded;
}

AttentionInputs LayerInputs::views(const LayerOptions& options) const {
  AttentionInputs inputs;
  inputs.query = query;
  inputs.key = key.given() ? key.view() : inputs.query;
  inputs.value = value.given() ? value.view() : inputs.key;
  inputs.attention_mask = mask;
  inputs.attention_mask_meaning = options.mask_meaning;
  inputs.key_padding_mask = key_padding;
  inputs.key_padding_meaning = options.padding_meaning;
  inputs.key_lengths = key_lengths;
  inputs.causal = options.causal;
  inputs.causal_alignment = options.causal_alignment;
  return inputs;
}

LayerInputs load_inputs(const LayerOptions& options, const Console& console) {
  LayerInputs inputs;
  inputs.query = load_floats("query", options.query, console);
  inputs.key = load_floats("key", options.key, console);
  inputs.value = load_floats("value", options.value, console);
  inputs.mask = load_mask("mask", options.mask, options.mask_meaning, console);
  inputs.key_padding = load_mask("key-padding", options.key_padding, options.padding_meaning, console);
  inputs.key_lengths = load_lengths("key-lengths", options.key_lengths);
  return inputs;
}

CallShape call_shape(const AttentionInputs& inputs) {
  check_rank("query", inputs.query);
  check_rank("key", inputs.key);
  const Dims& query = inputs.query.shape;
  const Dims& key = inputs.key.shape;
  CallShape call;
  call.batched = query.rank() == 3;
  call.batch = call.batched ? query[0] : 1;
  call.query_length = query[query.rank() - 2];
  call.key_length = key[key.rank() - 2];
  return call;
}

Tensor make_output(const CallShape& call, const AttentionConfig& config) {
  if (!call.batched) return Tensor({call.query_length, config.output_dim});
  return Tensor({call.batch, call.query_length, config.output_dim});
}

Tensor make_attention(const CallShape& call, const AttentionConfig& config) {
  return Tensor({call.batch, config.num_heads, call.query_length, call.key_length});
}

Tensor make_average_attention(const CallShape& call) {
  return Tensor({call.batch, call.query_length, call.key_length});
}

std::string describe_layer(const LoadedLayer& loaded, const LayerOptions& options) {
  const std::string prefix = loaded.layer.prefix.empty() ? "" : ", " + printable(loaded.layer.prefix);
  return std::to_string(options.load.layer) + " of " + std::to_string(loaded.layer_count) + " in " +
         printable(options.file) + ": " + loaded.layer.family + prefix;
}

std::string describe_sizes(const AttentionConfig& config) {
  std::string text = plural(config.num_heads, "head") + " of " + std::to_string(config.head_dim);
  if (config.value_dim != config.head_dim) text += " (value " + std::to_string(config.value_dim) + ")";
  text += ", width " + std::to_string(config.model_dim);
  if (config.output_dim != config.model_dim) text += " to " + std::to_string(config.output_dim);
  return text + ", scale " + significant(*config.scale, 6);
}

Json config_json(const AttentionConfig& config) {
  return {{"model_dim", config.model_dim},
          {"num_heads", config.num_heads},
          {"num_kv_heads", config.num_kv_heads},
          {"head_dim", config.head_dim},
          {"value_dim", config.value_dim},
          {"key_input_dim", config.key_input_dim},
          {"value_input_dim", config.value_input_dim},
          {"output_dim", config.output_dim},
          {"scale", json_number(*config.scale)}};
}

}  // namespace headwise::tools
