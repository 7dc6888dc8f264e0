// headwise inspect: what a weight file or a .npy file holds.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <headwise/headwise.hpp>
#include <memory>

#include "command.hpp"
#include "console.hpp"
#include "inspect_report.hpp"
#include "layer_options.hpp"
#include "layer_sizes.hpp"
#include "option_types.hpp"
#include "option_words.hpp"
#include "standard_streams.hpp"

namespace headwise::tools {
namespace {

constexpr auto details = R"(
For a weight file: the attention layers that were recognised, which tensor
became which matrix, what a layer loads with (what config.json says included),
and every tensor with its NaN and infinite values. For a .npy file: its type,
shape and range; '-' is a .npy file on standard input.

Example:
  headwise inspect model.safetensors
  headwise inspect - --json --values < y.npy)";

struct InspectOptions {
  CommonOptions common;
  std::string file;
  LoadOptions load;
  bool families = false;
  bool no_scan = false;
  bool values = false;
};

// By name or by content: a damaged .npy file is best explained by the reader of that format. Anything but a regular
// file is left to the readers, which never wait for one.
bool is_npy(const std::string& path) {
  if (is_standard(path) || path.ends_with(".npy")) return true;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  char magic[6] = {};
  std::ifstream file(path, std::ios::binary);
  file.read(magic, sizeof magic);
  return file.gcount() == sizeof magic && std::string(magic, sizeof magic) == "\x93NUMPY";
}

// Types that headwise cannot read are not counted: nothing, not zero.
std::optional<NonFinite> scan_tensor(const WeightFile& file, const TensorInfo& info, ProgressBar& bar) {
  const std::uint64_t total = file.tensors().back().end;
  try {
    return count_nonfinite(
        file.read(info.name, [&](std::uint64_t done, std::uint64_t) { bar.update(info.begin + done, total); }));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported) throw;
    return std::nullopt;
  }
}

void scan(const WeightFile& file, Inspection& inspection, const Console& console) {
  ProgressBar bar(console, "reading values");
  for (std::size_t i = 0; i < inspection.tensors.size(); ++i) {
    inspection.nonfinite[i] = scan_tensor(file, inspection.tensors[i], bar);
  }
}

// A broken config.json is worth a word, but the weight file can be shown all the same.
std::optional<std::int64_t> known_heads(const std::string& file, const Console& console) {
  try {
    return heads_from_config(file);
  } catch (const Error& error) {
    console.note(std::string("heads unknown: ") + error.what());
    return std::nullopt;
  }
}

// With what the file and config.json say, as run would without further options.
Loading try_loading(const WeightFile& file, const AttentionLayer& layer, LoadOptions options) try {
  options.layer = layer.index;
  AttentionWeights weights = load_attention(file, options);
  for (Tensor* matrix : {&weights.query_weight, &weights.key_weight, &weights.value_weight, &weights.output_weight}) {
    *matrix = Tensor();
  }
  return {std::move(weights), "", has_stored_check(file, layer.prefix)};
} catch (const Error& error) {
  return {std::nullopt, in_option_words(error.what()), false};
}

// What the options leave of the file's layers. Without options, a file that has none or stands beside a broken
// config.json is shown all the same.
std::vector<AttentionLayer> found_layers(const WeightFile& file, const LoadOptions& load) try {
  return find_attention_layers(file, load);
} catch (const Error& error) {
  if (load.family.empty() && load.name_map.empty()) return find_attention_layers(file);
  if (error.code() == ErrorCode::invalid_argument) throw UsageError(in_option_words(error.what()));
  throw;
}

// --heads comes before what the file says, as it does in loading.
std::vector<AttentionLayer> layers_of(const WeightFile& file, const LoadOptions& load) {
  std::vector<AttentionLayer> layers = found_layers(file, load);
  for (AttentionLayer& layer : layers) {
    if (load.num_heads > 0) layer.widths.num_heads = static_cast<std::uint64_t>(load.num_heads);
  }
  return layers;
}

// Who says how many heads a layer has.
std::string heads_source(const WeightFile& file, const AttentionLayer& layer, const LoadOptions& load,
                         bool as_config_says) {
  if (load.num_heads > 0) return "--heads";
  const auto has_heads_apart = [](const AttentionLayer::Part& part) {
    return part.role == "query_weight" && part.shape.size() == 3;
  };
  if (std::any_of(layer.parts.begin(), layer.parts.end(), has_heads_apart)) return "by their shapes";
  if (as_config_says) return "config.json";
  if (!load.name_map.empty()) return "--map";
  return file.metadata().count("headwise.settings:" + layer.prefix) > 0 ? "stored settings" : "config.json";
}

Inspection inspect_weights(const InspectOptions& options, const Console& console) {
  const WeightFile file = WeightFile::open(options.file, options.load.open);
  Inspection inspection;
  inspection.path = file.path();
  inspection.format = file.format();
  inspection.tensors = file.tensors();
  inspection.nonfinite.resize(inspection.tensors.size());
  inspection.layers = layers_of(file, options.load);
  inspection.heads = known_heads(options.file, console);
  for (const AttentionLayer& layer : inspection.layers) {
    const bool as_config_says = inspection.heads && layer_sizes(layer).own_heads == *inspection.heads;
    inspection.heads_from[layer.index] = heads_source(file, layer, options.load, as_config_says);
  }
  inspection.scanned = !options.no_scan;
  if (!inspection.scanned) return inspection;
  scan(file, inspection, console);
  for (const AttentionLayer& layer : inspection.layers) {
    const bool heads_known = inspection.heads || layer.widths.num_heads > 0;
    if (heads_known) inspection.loadings[layer.index] = try_loading(file, layer, options.load);
  }
  return inspection;
}

void show_array(const InspectOptions& options) {
  const Tensor tensor = load_array(options.file);
  write_output(options.common.json ? array_json(options.file, tensor, options.values)
                                   : array_text(options.file, tensor));
}

void show_weights(const InspectOptions& options) {
  if (options.values) throw UsageError("--values is for .npy files; " + options.file + " is none");
  const Inspection inspection = inspect_weights(options, Console(options.common));
  write_output(options.common.json ? inspection_json(inspection) : inspection_text(inspection));
}

int inspect(const InspectOptions& options) {
  if (options.families) {
    write_output(options.common.json ? families_json() : families_text());
    return exit_ok;
  }
  if (options.file.empty()) throw UsageError("FILE is required; see 'headwise inspect --help'");
  if (options.values && !options.common.json) throw UsageError("--values says nothing without --json");
  if (is_npy(options.file)) {
    show_array(options);
  } else {
    show_weights(options);
  }
  return exit_ok;
}

}  // namespace

Command add_inspect(CLI::App& app) {
  CLI::App* parser = app.add_subcommand("inspect", "Show what a weight file or a .npy file holds");
  auto options = std::make_shared<InspectOptions>();
  add_path(*parser, "FILE", options->file,
           "Weight file (.safetensors, index .json, .npz), model folder or array (.npy, or - for standard input)")
      ->option_text("(required)");
  parser->add_flag("--no-scan", options->no_scan,
                   "Do not read the values: no NaN counts, no attempt to load the layers");
  parser->add_flag("--values", options->values, "With --json, for a .npy file: every value");
  parser->add_flag("--allow-trailing-bytes", options->load.open.allow_trailing_bytes,
                   "Accept bytes after the last tensor, as some published files have");
  add_heads(*parser, options->load);
  add_layout_choice(*parser, options->load);
  parser->add_flag("--families", options->families, "Show the table of layouts instead of a file")
      ->group(layer_choice_group);
  add_common_options(*parser, options->common);
  parser->footer(details);
  return {parser, [options] { return inspect(*options); }};
}

}  // namespace headwise::tools
