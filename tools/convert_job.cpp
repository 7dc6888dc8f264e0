#include "convert_job.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "layer_job.hpp"
#include "text.hpp"
#include "text_files.hpp"

namespace headwise::tools {
namespace {

constexpr std::string_view own_metadata = "headwise.";

void count_rounding(const Tensor& before, const Tensor& after, Rounding& rounding) {
  for (std::int64_t i = 0; i < before.size(); ++i) {
    const float from = before.data()[i], to = after.data()[i];
    rounding.overflowed += std::isfinite(from) && std::isinf(to);
    rounding.underflowed += from != 0 && to == 0;
  }
}

Rounding round_layer(AttentionWeights& weights, DType dtype) {
  Rounding rounding;
  if (dtype == DType::f32) return rounding;
  for (const LayerTensor& part : stored_tensors) {
    Tensor& tensor = weights.*part.tensor;
    if (!tensor.given()) continue;
    Tensor rounded = convert(convert(tensor, dtype), DType::f32);
    count_rounding(tensor, rounded, rounding);
    tensor = std::move(rounded);
  }
  return rounding;
}

std::string prefix_for(const AttentionLayer& layer, const ConvertOptions& options) {
  constexpr std::string_view placeholder = "{layer}";
  if (!options.has_prefix) return layer.prefix;
  std::string prefix = options.prefix;
  for (auto at = prefix.find(placeholder); at != std::string::npos; at = prefix.find(placeholder, at)) {
    prefix.replace(at, placeholder.size(), std::to_string(layer.index));
  }
  return prefix;
}

// Without another family the names stay. Four linear layers hold whatever the tensors of a map hold.
LayerStorage storage_for(const AttentionLayer& layer, const ConvertOptions& options) {
  LayerStorage storage;
  storage.prefix = prefix_for(layer, options);
  storage.dtype = options.dtype;
  if (!options.family.empty()) storage.family = options.family;
  if (!options.family.empty() || layer.family == "map") return storage;
  storage.family = layer.family;
  for (const auto& part : layer.parts) {
    if (part.role.ends_with("_weight")) storage.matrices.push_back(part.tensor.substr(layer.prefix.size()));
  }
  return storage;
}

AttentionWeights load_one(const WeightFile& file, const LoadOptions& load) try {
  return load_attention(file, load);
} catch (const Error& error) {
  refuse_loading(error, "layer " + std::to_string(load.layer) + ": ");
}

// Slopes of heads that stayed are no rule's for so many heads, and .npz keeps no settings that could hold them.
void leave_out_slopes(AttentionWeights& weights, std::int64_t index) {
  if (!weights.alibi_slopes.given()) return;
  const AttentionConfig& config = weights.config;
  const auto slopes = alibi_slopes(config.num_heads, config.position_bias.slopes, config.position_bias.alibi_max);
  if (!std::equal(slopes.begin(), slopes.end(), weights.alibi_slopes.data())) {
    throw UsageError("layer " + std::to_string(index) +
                     ": its heads have the ALiBi slopes of a layer with more heads, which .npz cannot keep and no "
                     "option gives; let OUT end with .safetensors");
  }
  weights.alibi_slopes = Tensor();
}

ConvertedLayer convert_layer(const WeightFile& file, const AttentionLayer& layer, const ConvertOptions& options,
                             LoadOptions load) {
  load.layer = layer.index;
  ConvertedLayer converted{layer, load_one(file, load), {}, {}};
  if (options.to_npz()) leave_out_slopes(converted.weights, layer.index);
  converted.rounding = round_layer(converted.weights, options.dtype);
  try {
    converted.stored = store_layer(converted.weights, storage_for(layer, options));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::invalid_argument) throw;
    throw UsageError("layer " + std::to_string(layer.index) + ": " + error.what() + "; choose another --to-family");
  }
  return converted;
}

std::vector<AttentionLayer> layers_of(const WeightFile& file, const LoadOptions& load) try {
  return find_attention_layers(file, load);
} catch (const Error& error) {
  refuse_loading(error);
}

std::vector<AttentionLayer> chosen_layers(const WeightFile& file, const ConvertOptions& options) {
  std::vector<AttentionLayer> layers = layers_of(file, options.load);
  if (!options.one_layer) return layers;
  std::erase_if(layers, [&](const AttentionLayer& layer) { return layer.index != options.load.layer; });
  if (!layers.empty()) return layers;
  throw UsageError("there is no layer " + std::to_string(options.load.layer) + " in " + options.file +
                   "; 'headwise inspect' shows its layers");
}

void check_names(const Conversion& conversion) {
  std::set<std::string> names;
  for (const ConvertedLayer& layer : conversion.layers) {
    for (const auto& tensor : layer.stored.tensors) {
      if (names.insert(tensor.first).second) continue;
      throw UsageError("two layers would have a tensor " + tensor.first +
                       "; give a --to-prefix with {layer} in it, or one --layer");
    }
  }
}

// Settings and checks of the old file speak of its own tensors.
void collect_metadata(const WeightFile& file, const ConvertOptions& options, Conversion& conversion) {
  for (const auto& entry : file.metadata()) {
    if (!entry.first.starts_with(own_metadata)) conversion.metadata.insert(entry);
  }
  for (const auto& [key, value] : options.metadata) conversion.metadata[key] = value;
  for (const ConvertedLayer& layer : conversion.layers) {
    conversion.metadata.insert(layer.stored.metadata.begin(), layer.stored.metadata.end());
  }
}

std::int64_t count_left_out(const WeightFile& file, const Conversion& conversion) {
  std::set<std::string> used;
  for (const ConvertedLayer& layer : conversion.layers) {
    for (const auto& part : layer.from.parts) used.insert(part.tensor);
  }
  return static_cast<std::int64_t>(file.tensors().size() - used.size());
}

// A model's folder and a shard index have their tensors in other files.
void check_inputs(const WeightFile& file, const std::string& output) {
  const auto folder = std::filesystem::path(file.path()).parent_path();
  std::set<std::string> inputs{file.path()};
  for (const TensorInfo& info : file.tensors()) {
    if (!info.file.empty()) inputs.insert((folder / info.file).string());
  }
  for (const std::string& input : inputs) {
    if (same_file(input, output))
      throw UsageError("OUT " + output + " is a file of the model to convert; give OUT another name");
  }
}

}  // namespace

std::vector<NamedView> Conversion::views() const {
  std::vector<NamedView> views;
  for (const ConvertedLayer& layer : layers) {
    for (const auto& [name, tensor] : layer.stored.tensors) views.push_back({name, tensor});
  }
  return views;
}

Rounding Conversion::rounding() const {
  Rounding all;
  for (const ConvertedLayer& layer : layers) {
    all.overflowed += layer.rounding.overflowed;
    all.underflowed += layer.rounding.underflowed;
  }
  return all;
}

Conversion convert_layers(const ConvertOptions& options, const Console& console) {
  ProgressBar bar(console, "converting " + std::filesystem::path(options.file).filename().string());
  const WeightFile file = WeightFile::open(options.file, options.load.open);
  check_inputs(file, options.output);
  const std::vector<AttentionLayer> layers = chosen_layers(file, options);
  Conversion conversion;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    LoadOptions load = options.load;
    load.open.progress = [&](std::uint64_t done, std::uint64_t total) {
      bar.update(i * total + done, layers.size() * total);
    };
    conversion.layers.push_back(convert_layer(file, layers[i], options, load));
  }
  check_names(conversion);
  collect_metadata(file, options, conversion);
  conversion.left_out = count_left_out(file, conversion);
  return conversion;
}

}  // namespace headwise::tools
