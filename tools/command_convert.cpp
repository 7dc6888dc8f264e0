// headwise convert: attention layers of a weight file, stored otherwise.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <headwise/headwise.hpp>
#include <memory>

#include "command.hpp"
#include "convert_job.hpp"
#include "convert_report.hpp"
#include "file_roles.hpp"
#include "option_types.hpp"
#include "text_files.hpp"

namespace headwise::tools {
namespace {

constexpr auto details = R"(
OUT is a .safetensors or an .npz file. It gets the attention layers, all of them
unless --layer names one, and nothing else of FILE. What tensors cannot tell
(heads, scale, positions) goes into the metadata, which loading takes before a
config.json; .npz keeps no metadata, so a note says what to give to load it.
A layer's other biases become zeros where only some are there. Each layer is
loaded from OUT and compared before the command says that it is done.

Example:
  headwise convert model.safetensors layers.safetensors --to-family torch_mha
  headwise convert model/ small.safetensors --layer 3 --keep-heads 0,2 --dtype f16
  headwise convert in.npz out.safetensors --heads 8 --to-prefix h.{layer}.attn)";

void add_metadata(const std::vector<std::string>& pairs, std::map<std::string, std::string>& metadata) {
  for (const std::string& pair : pairs) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw CLI::ValidationError("--metadata", "must be KEY=VALUE, not '" + pair + "'");
    }
    metadata[pair.substr(0, equals)] = pair.substr(equals + 1);
  }
}

void check_family(const std::string& name) {
  for (const FamilyRow& row : list_families()) {
    const std::vector<std::string> models = split_list(row.models);
    const bool has_name = row.family == name || std::find(models.begin(), models.end(), name) != models.end();
    if (has_name && row.refusal.empty()) return;
  }
  throw CLI::ValidationError("--to-family", "'" + name + "' is none that a layer can be stored in; " + families_advice);
}

void add_target_options(CLI::App& app, ConvertOptions& options) {
  constexpr auto group = "How to store";
  const auto set_family = [&options](const std::string& name) {
    check_family(name);
    options.family = name;
  };
  app.add_option_function<std::string>("--to-family", set_family,
                                       "Family to store in, or a model_type (default: that of each layer)")
      ->option_text("NAME")
      ->group(group);
  app.add_option("--to-prefix", options.prefix, "Before the names; {layer} is the layer's index (default: as it was)")
      ->option_text("TEXT")
      ->group(group);
  add_choice<DType>(app, "--dtype", options.dtype,
                    {{"f32", DType::f32}, {"f16", DType::f16}, {"bf16", DType::bf16}, {"f64", DType::f64}},
                    "Type to store in (default f32); rounds to nearest even")
      ->group(group);
  app.add_option_function<std::vector<std::string>>(
         "--metadata", [&options](const auto& pairs) { add_metadata(pairs, options.metadata); },
         "Add to the metadata, which is kept; may be given several times")
      ->option_text("KEY=VALUE")
      ->take_all()
      ->allow_extra_args(false)
      ->group(group);
  app.add_flag("--force", options.force, "Replace OUT if it is there")->group(group);
}

void check_options(const ConvertOptions& options) {
  if (!options.output.ends_with(".safetensors") && !options.to_npz()) {
    throw UsageError("OUT " + options.output + " must end with .safetensors or .npz, which says how it is written");
  }
  if (options.to_npz() && options.dtype == DType::bf16)
    throw UsageError(".npz has no bf16; choose f16 or .safetensors");
  if (options.to_npz() && !options.metadata.empty()) throw UsageError("--metadata: .npz keeps none");
  check_target("OUT", options.output, "weight");
  // Of the weights, those that OUT must not replace are known when FILE is open.
  check_targets_differ({{"OUT", options.output}}, layer_settings(options));
  for (const auto& [key, value] : options.metadata) {
    if (key.starts_with("headwise."))
      throw UsageError("--metadata " + key + ": names with headwise. say how a layer loads");
  }
  std::error_code ignored;
  if (!options.force && std::filesystem::exists(options.output, ignored)) {
    throw CommandError(options.output + " is there already; --force replaces it");
  }
}

// It gets its name when all its layers have been loaded back from it.
void write_checked(const Conversion& conversion, const ConvertOptions& options) {
  const auto check = [&](const WeightFile& written) { check_written(conversion, written, options.output); };
  if (options.to_npz()) return save_npz(options.output, conversion.views(), check);
  save_safetensors(options.output, conversion.views(), conversion.metadata, check);
}

// config.json beside an .npz file may speak of other heads. Most often all layers need the same.
void note_settings(const Conversion& conversion, const ConvertOptions& options, const Console& console) {
  if (!options.to_npz()) return;
  std::map<std::string, std::string> layers;  // indices by what must be given
  for (const ConvertedLayer& layer : conversion.layers) {
    std::string& indices = layers[load_arguments(layer)];
    indices += (indices.empty() ? "" : ", ") + std::to_string(layer.from.index);
  }
  for (const auto& [arguments, indices] : layers) {
    const std::string of_some = layers.size() > 1 ? " (layer " + indices + ")" : "";
    console.note(".npz keeps no settings, .safetensors does: load it with " + arguments + of_some);
  }
}

void note_rounding(const Conversion& conversion, const ConvertOptions& options, const Console& console) {
  const std::int64_t count = conversion.rounding().overflowed;
  if (count == 0) return;
  console.note(std::to_string(count) + " finite values are too large for " + dtype_name(options.dtype) +
               " and became infinite; bf16 holds the range of f32");
}

int convert_file(const CLI::App& app, ConvertOptions& options) {
  options.one_layer = app.count("--layer") > 0;
  options.has_prefix = app.count("--to-prefix") > 0;
  check_options(options);
  const Console console(options.common);
  const Conversion conversion = convert_layers(options, console);
  note_rounding(conversion, options, console);
  note_settings(conversion, options, console);
  write_checked(conversion, options);
  write_output(options.common.json ? convert_json(conversion, options) : convert_text(conversion, options));
  return exit_ok;
}

}  // namespace

Command add_convert(CLI::App& app) {
  CLI::App* parser = app.add_subcommand("convert", "Store attention layers in another layout, type or file format");
  auto options = std::make_shared<ConvertOptions>();
  add_path(*parser, "FILE", options->file, weight_file_help)->required()->option_text("(required)");
  add_path(*parser, "OUT", options->output, "File to write (.safetensors or .npz)")
      ->required()
      ->option_text("(required)");
  add_layer_choice(*parser, options->load);
  parser->get_option("--layer")->description("Index of the one layer to convert, see inspect (default: all)");
  add_score_options(*parser, options->load);
  add_target_options(*parser, *options);
  add_common_options(*parser, options->common);
  parser->footer(details);
  return {parser, [parser, options] { return convert_file(*parser, *options); }};
}

}  // namespace headwise::tools
