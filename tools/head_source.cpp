#include "head_source.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <limits>

#include "head_arrays.hpp"
#include "head_model.hpp"
#include "layer_options.hpp"
#include "option_types.hpp"
#include "standard_streams.hpp"
#include "text.hpp"

namespace headwise::tools {
namespace {

constexpr auto model_group = "A text in a model", array_group = "Weights from a file instead";

void add_text(CLI::App& app, const std::string& name, std::optional<std::string>& target, const std::string& help) {
  app.add_option_function<std::string>(
         name, [&target](const std::string& text) { target = text; }, help)
      ->option_text("TEXT")
      ->group(model_group);
}

void add_model_options(CLI::App& app, HeadSource& source) {
  add_path(app, "MODEL_DIR", source.folder, "Folder with config.json, weights and tokenizer, as Hugging Face saves it")
      ->option_text("");
  add_text(app, "--text", source.text, "The text");
  add_text(app, "--pair", source.pair, "A second text that the model reads with the first");
  add_list(app, "--layers", source.layers, "These layers only, e.g. 0,2,5 (default: all)")->group(model_group);
  add_integer(app, "--threads", source.threads, 0, Session::max_threads,
              "Threads (default 0: what affinity and quota allow)")
      ->group(model_group);
  add_choice<std::string>(app, "--isa", source.isa, isa_choices(),
                          "Kernels to use (default: HEADWISE_ISA, then the fastest)")
      ->group(model_group);
}

void add_array_options(CLI::App& app, HeadSource& source) {
  add_path(app, "--attention", source.attention,
           "Weights [batch, heads, queries, keys] or [heads, queries, keys] (.npy)")
      ->group(array_group);
  add_path(app, "--tokens", source.tokens, "Their tokens: one a line, or a JSON list (default: their positions)")
      ->group(array_group);
  add_integer<std::int64_t>(app, "--sequence", source.sequence, 0, std::numeric_limits<std::int64_t>::max(),
                            "Which of the batch (default 0)")
      ->group(array_group);
  app.add_flag("--by-layer", source.by_layer, "The first axis is layers instead of a batch")->group(array_group);
}

void check_model_source(const CLI::App& app, const HeadSource& source) {
  for (const char* option : {"--tokens", "--sequence", "--by-layer"}) {
    check_needs(app.count(option) > 0, false, option, "--attention");
  }
  if (source.folder.empty()) {
    throw UsageError("nothing to look at; give MODEL_DIR and --text, or --attention with a .npy file");
  }
  if (!source.text) throw UsageError("--text is missing; give the text that the model is to read");
}

void check_array_source(const CLI::App& app, const HeadSource& source) {
  if (!source.folder.empty()) throw UsageError("MODEL_DIR and --attention exclude each other; weights come from one");
  for (const char* option : {"--text", "--pair", "--threads", "--isa"}) {
    check_needs(app.count(option) > 0, false, option, "MODEL_DIR");
  }
  check_needs(!source.layers.empty(), source.by_layer, "--layers", "MODEL_DIR or --by-layer");
  check_needs(app.count("--sequence") > 0, !source.by_layer, "--sequence",
              "a batch, which --by-layer says there is none");
}

std::string file_title(const std::string& path) {
  return is_standard(path) ? "standard input" : valid_utf8(std::filesystem::path(path).filename().string());
}

void keep_layers(HeadWeights& weights, const std::vector<std::int64_t>& layers) {
  if (layers.empty()) return;
  const std::int64_t row = weights.attention.size() / weights.attention.shape()[0];
  Tensor kept({static_cast<std::int64_t>(layers.size()), weights.heads, weights.attention.shape()[2],
               weights.attention.shape()[3]});
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const float* from = weights.attention.data() + layers[i] * row;
    std::copy(from, from + row, kept.data() + static_cast<std::int64_t>(i) * row);
  }
  weights.attention = std::move(kept);
  weights.layers = layers;
}

HeadWeights from_arrays(const HeadSource& source) {
  ArrayChoice choice;
  choice.title = choice.name = file_title(source.attention);
  choice.sequence = source.sequence;
  choice.by_layer = source.by_layer;
  if (!source.tokens.empty()) choice.tokens = read_tokens(source.tokens);
  HeadWeights weights = head_arrays(load_array(source.attention), {}, choice);
  keep_layers(weights, checked_layers(source.layers, static_cast<std::int64_t>(weights.layers.size())));
  return weights;
}

HeadWeights from_model(const HeadSource& source, const Console& console) {
  return run_head_model(
      {source.folder, *source.text, source.pair, source.layers, source.threads, checked_isa(source.isa)}, console);
}

}  // namespace

void add_head_source(CLI::App& app, HeadSource& source) {
  add_model_options(app, source);
  add_array_options(app, source);
  add_common_options(app, source.common);
}

void check_head_source(const CLI::App& app, const HeadSource& source) {
  source.attention.empty() ? check_model_source(app, source) : check_array_source(app, source);
}

HeadWeights load_head_weights(const HeadSource& source, const Console& console) {
  HeadWeights weights = source.attention.empty() ? from_model(source, console) : from_arrays(source);
  note_nonfinite(weights);
  for (const std::string& note : weights.notes) console.note(note);
  return weights;
}

std::string head_counts(const HeadWeights& weights) {
  return plural(static_cast<std::int64_t>(weights.layers.size()), "layer") + " × " + plural(weights.heads, "head");
}

std::string token_line(const HeadWeights& weights) {
  constexpr std::size_t most = 12;
  std::string line = plural(static_cast<std::int64_t>(weights.count()), "token") + ":";
  for (std::size_t i = 0; i < std::min(most, weights.count()); ++i) line += " " + printable(weights.tokens[i]);
  return line + (weights.count() > most ? " …" : "");
}

}  // namespace headwise::tools
