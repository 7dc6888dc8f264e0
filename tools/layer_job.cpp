#include "layer_job.hpp"

#include <algorithm>
#include <filesystem>

#include "input_files.hpp"
#include "option_words.hpp"
#include "standard_streams.hpp"

namespace headwise::tools {
namespace {

AttentionWeights load_weights(const WeightFile& file, const LoadOptions& load) try {
  return load_attention(file, load);
} catch (const Error& error) {
  refuse_loading(error);
}

// Once it has loaded, what it was.
void describe_choice(const WeightFile& file, const LoadOptions& load, LoadedLayer& loaded) {
  const std::vector<AttentionLayer> layers = find_attention_layers(file, load);
  loaded.layer_count = static_cast<std::int64_t>(layers.size());
  loaded.layer = *std::find_if(layers.begin(), layers.end(),
                               [&](const AttentionLayer& layer) { return layer.index == load.layer; });
  loaded.checked = load.stored_check != StoredCheck::off && has_stored_check(file, loaded.layer.prefix);
}

}  // namespace

// The file itself is sound once it is open: its list of tensors says more than advice about damage.
void refuse_loading(const Error& error, const std::string& which) {
  const std::string message =
      which + in_option_words(error.what()) + "; 'headwise inspect FILE' shows layers and tensors";
  if (error.code() == ErrorCode::invalid_argument) throw UsageError(message);
  if (error.code() == ErrorCode::bad_file) throw CommandError(message);
  throw;
}

LoadedLayer load_layer(const LayerChoice& options, const Console& console) {
  if (is_standard(options.file)) {
    throw UsageError(
        "a weight file is read here and there, with config.json beside it, so FILE cannot be '-'; save it");
  }
  ProgressBar bar(console, "loading " + std::filesystem::path(options.file).filename().string());
  LoadOptions load = options.load;
  load.open.progress = [&bar](std::uint64_t done, std::uint64_t total) { bar.update(done, total); };
  const WeightFile file = WeightFile::open(options.file, load.open);
  LoadedLayer loaded;
  loaded.weights = load_weights(file, load);
  describe_choice(file, load, loaded);
  return loaded;
}

// The one place where options and files become the arguments of a call.
AttentionInputs LayerInputs::views(const LayerOptions& options) const {
  AttentionInputs inputs;
  for (const InputFile& file : input_files()) {
    if (file.input != nullptr) inputs.*file.input = tensors[file.id].view();
  }
  if (!inputs.key.given) inputs.key = inputs.query;
  if (!inputs.value.given) inputs.value = inputs.key;
  inputs.attention_mask_meaning = options.mask_meaning;
  inputs.key_padding_meaning = options.padding_meaning;
  inputs.causal = options.causal;
  inputs.causal_alignment = options.alignment;
  inputs.window = options.window;
  return inputs;
}

LayerInputs load_inputs(const LayerOptions& options, const Console& console) {
  LayerInputs inputs;
  for (const InputFile& file : input_files()) inputs.tensors[file.id] = load_input(file, options, console);
  return inputs;
}

std::int64_t extra_keys(const AttentionWeights& weights) {
  return (weights.bias_key.given() ? 1 : 0) + (weights.config.add_zero_attention ? 1 : 0);
}

}  // namespace headwise::tools
