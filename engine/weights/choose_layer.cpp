#include "choose_layer.hpp"

#include <algorithm>

#include "config_heads.hpp"
#include "layer_settings.hpp"
#include "missing_layer.hpp"
#include "out_of_memory.hpp"
#include "stated_sizes.hpp"
#include "text.hpp"

namespace headwise {
namespace {

[[noreturn]] void refuse(const WeightFile& file, const std::string& problem,
                         ErrorCode code = ErrorCode::invalid_argument) {
  throw Error(code, in_quotes(file.path()) + ": " + problem);
}

template <class Keep>
void keep_if_any(std::vector<LayoutPointer>& layouts, Keep keep) {
  std::vector<LayoutPointer> kept;
  std::copy_if(layouts.begin(), layouts.end(), std::back_inserter(kept), keep);
  if (!kept.empty()) layouts = kept;
}

// A family that is given is taken at its word, and wrong shapes are errors. Else shapes decide, then the model's type.
void narrow(LaidOutLayer& layer, const std::string& family, const std::string& model_type) {
  if (!family.empty()) keep_if_any(layer.layouts, [&](const LayoutPointer& one) { return one->family == family; });
  if (layer.layouts.size() == 1) return;
  const auto suits = [&](const LayoutPointer& one) { return shapes_suit(layer, one->form); };
  if (std::none_of(layer.layouts.begin(), layer.layouts.end(), suits)) layer.layouts.resize(1);
  keep_if_any(layer.layouts, suits);
  // A row that only says why a model is not loaded speaks of that model alone.
  keep_if_any(layer.layouts, [&](const LayoutPointer& one) { return one->refusal.empty() || one->serves(model_type); });
  keep_if_any(layer.layouts, [&](const LayoutPointer& one) { return one->serves(model_type); });
}

void settle(LaidOutLayer& layer, std::int64_t num_heads) {
  layer.widths = widths_of(layer, layer.layout().form);
  if (layer.widths.num_heads == 0) layer.widths.num_heads = static_cast<std::uint64_t>(num_heads);
  if (layer.layouts.size() == 1) {
    layer.family = layer.layout().family;
    return;
  }
  for (const LayoutPointer& layout : layer.layouts) layer.candidates.push_back(layout->family);
}

bool is_eligible(const LaidOutLayer& layer, const LoadOptions& options) {
  if (!options.prefix.empty() && !same_prefix(layer.prefix, options.prefix)) return false;
  return options.family.empty() ||
         std::any_of(layer.layouts.begin(), layer.layouts.end(),
                     [&](const LayoutPointer& layout) { return layout->family == options.family; });
}

// What is wrong with them is told when the layer is loaded.
LayerSettings hints_for(const WeightFile& file, const std::string& prefix) try {
  return stored_settings(file, prefix).value_or(LayerSettings());
} catch (const Error&) {
  return {};
}

std::int64_t heads_hint(const std::optional<ConfigJson>& config, const std::string& prefix) try {
  return config ? heads_of_layer(*config, prefix).value_or(0) : 0;
} catch (const Error&) {
  return 0;
}

std::vector<LaidOutLayer> narrowed(const WeightFile& file, std::vector<LaidOutLayer> layers, const std::string& family,
                                   const std::optional<ConfigJson>& config) {
  const std::string model_type = config ? config->text("", "model_type").value_or("") : "";
  for (std::size_t i = 0; i < layers.size(); ++i) {
    layers[i].index = static_cast<std::int64_t>(i);
    const LayerSettings stored = hints_for(file, layers[i].prefix);
    narrow(layers[i], family.empty() ? stored.family : family, model_type);
    settle(layers[i], stored.num_heads > 0 ? stored.num_heads : heads_hint(config, layers[i].prefix));
  }
  return layers;
}

std::vector<LaidOutLayer> known_layers(const WeightFile& file, const Choice& choice) {
  const LoadOptions& options = choice.options;
  const std::vector<LaidOutLayer> all = find_layers(file);
  std::vector<LaidOutLayer> layers;
  std::copy_if(all.begin(), all.end(), std::back_inserter(layers),
               [&](const LaidOutLayer& layer) { return is_eligible(layer, options); });
  if (layers.empty()) throw_missing_layer(file, narrowed(file, all, "", choice.config), options);
  return narrowed(file, std::move(layers), options.family, choice.config);
}

std::vector<LaidOutLayer> mapped_layers(const WeightFile& file, const NameMap& map, const Choice& choice) {
  std::vector<LaidOutLayer> layers = map.layers(file);
  if (layers.empty()) throw_missing_mapped(file, map, choice.options.layer);
  for (LaidOutLayer& layer : layers) {
    settle(layer, map.num_heads() > 0 ? map.num_heads() : heads_hint(choice.config, layer.prefix));
  }
  return layers;
}

[[noreturn]] void refuse_open(const WeightFile& file, const LaidOutLayer& layer) {
  std::string families = layer.candidates.front();
  for (std::size_t i = 1; i < layer.candidates.size(); ++i) {
    families += (i + 1 < layer.candidates.size() ? ", " : " or ") + layer.candidates[i];
  }
  refuse(file, "layer " + in_quotes(layer.prefix) + " may be of the family " + families +
                   ": they order its rows differently under the same names and shapes; LoadOptions::family must say " +
                   "which it is, or model_type in config.json beside the file");
}

// A matrix of the one layout that the other has not, if there is one.
std::string own_matrix(const Layout& layout, const Layout& other) {
  const auto is_shared = [&](const PartName& part) {
    return std::any_of(other.weights.begin(), other.weights.end(),
                       [&](const PartName& theirs) { return theirs.name == part.name; });
  };
  const auto own = std::find_if_not(layout.weights.begin(), layout.weights.end(), is_shared);
  return in_quotes(own == layout.weights.end() ? layout.weights.front().name : own->name);
}

// Tensors of both are there, so neither is a guess; but only one can be what the model runs.
[[noreturn]] void refuse_second(const WeightFile& file, const LaidOutLayer& layer, const LaidOutLayer& other) {
  const Layout &first = layer.layout(), &second = other.layout();
  const std::string option = first.family == second.family ? "name_map" : "family";
  refuse(file, "layer " + in_quotes(layer.prefix) + " is there twice, with " + own_matrix(first, second) +
                   " as family " + first.family + " and with " + own_matrix(second, first) + " as family " +
                   second.family + "; LoadOptions::" + option + " must say which is meant");
}

[[noreturn]] void refuse_number(const WeightFile& file, std::int64_t wanted, std::size_t count) {
  refuse(file, "no layer " + std::to_string(wanted) + ", there are " + std::to_string(count) + ", counted from 0");
}

}  // namespace

std::optional<NameMap> map_of(const LoadOptions& options) {
  if (options.name_map.empty()) return std::nullopt;
  if (options.prefix.empty() && options.family.empty()) return NameMap::read(options.name_map);
  throw Error(ErrorCode::invalid_argument, "name_map says which tensors make a layer: neither prefix nor family can");
}

std::vector<LaidOutLayer> eligible_layers(const WeightFile& file, const Choice& choice) {
  return choice.map ? mapped_layers(file, *choice.map, choice) : known_layers(file, choice);
}

LaidOutLayer choose_layer(const WeightFile& file, const Choice& choice) {
  const std::vector<LaidOutLayer> layers = eligible_layers(file, choice);
  const std::int64_t wanted = choice.options.layer;
  const auto chosen =
      std::find_if(layers.begin(), layers.end(), [&](const LaidOutLayer& layer) { return layer.index == wanted; });
  if (chosen == layers.end() && choice.map) throw_missing_mapped(file, *choice.map, wanted);
  if (chosen == layers.end()) refuse_number(file, wanted, layers.size());
  for (const LaidOutLayer& other : layers) {
    if (!choice.map && other.prefix == chosen->prefix && other.index != wanted) refuse_second(file, *chosen, other);
  }
  if (chosen->layouts.size() > 1) refuse_open(file, *chosen);
  if (chosen->layout().refusal.empty()) return *chosen;
  refuse(file,
         "layer " + in_quotes(chosen->prefix) + " is of the family " + chosen->family +
             ", which is not supported: " + chosen->layout().refusal,
         ErrorCode::unsupported);
}

std::vector<AttentionLayer> find_attention_layers(const WeightFile& file) try {
  const std::vector<LaidOutLayer> layers = narrowed(file, find_layers(file), "", std::nullopt);
  return {layers.begin(), layers.end()};
} catch (const std::bad_alloc&) {
  throw_out_of_memory([&] { return in_quotes(file.path()) + ": no memory to list its layers"; });
}

std::vector<AttentionLayer> find_attention_layers(const WeightFile& file, const LoadOptions& options) try {
  const std::optional<NameMap> map = map_of(options);
  const auto config = options.use_model_config ? ConfigJson::beside(file.path()) : std::nullopt;
  const std::vector<LaidOutLayer> layers = eligible_layers(file, {options, config, map});
  return {layers.begin(), layers.end()};
} catch (const std::bad_alloc&) {
  throw_out_of_memory([&] { return in_quotes(file.path()) + ": no memory to list its layers"; });
}

}  // namespace headwise
