#include "layer_options.hpp"

#include <CLI/CLI.hpp>
#include <limits>

#include "option_types.hpp"

namespace headwise::tools {
namespace {

constexpr auto any_number = std::numeric_limits<std::int64_t>::max();

void add_layer_choice(CLI::App& app, LayerOptions& options) {
  constexpr auto group = "Which layer";
  LoadOptions& load = options.load;
  add_path(app, "FILE", options.file, "Weight file (.safetensors)")->required()->option_text("(required)");
  add_integer<std::int64_t>(app, "--layer", load.layer, 0, any_number,
                            "Index of the layer, see 'headwise inspect FILE' (default 0)")
      ->group(group);
  add_integer<std::int64_t>(app, "--heads", load.num_heads, 1, any_number,
                            "Number of heads (default: config.json beside the file)")
      ->group(group);
  app.add_option("--prefix", load.prefix, "Only the layers with this prefix, see inspect")
      ->option_text("TEXT")
      ->group(group);
  app.add_option("--family", load.family, "Only the layers of this family, see inspect")
      ->option_text("NAME")
      ->group(group);
  app.add_flag("--allow-missing-bias", load.allow_missing_bias, "Take a missing bias as zero")->group(group);
  app.add_flag("--allow-trailing-bytes", load.open.allow_trailing_bytes, "Accept bytes after the last tensor")
      ->group(group);
  add_number(app, "--scale", load.scale, "Factor of the scores (default 1/sqrt(head size))")->group(group);
}

void add_tensors(CLI::App& app, LayerOptions& options) {
  constexpr auto group = "Inputs (.npy)";
  add_path(app, "--query", options.query, "Query [batch, length, width] or [length, width]")->group(group);
  add_path(app, "--key", options.key, "Key (default: the query)")->group(group);
  add_path(app, "--value", options.value, "Value (default: the key)")->group(group);
}

void add_masks(CLI::App& app, LayerOptions& options) {
  constexpr auto group = "Masks";
  const Choices<BooleanMask> meanings{{"keep", BooleanMask::keep}, {"drop", BooleanMask::drop}};
  add_path(app, "--mask", options.mask, "bool, integer or float .npy, broadcast over [batch, heads, queries, keys]")
      ->group(group);
  add_choice(app, "--mask-meaning", options.mask_meaning, meanings,
             "What true or nonzero says in a bool or integer --mask: keep the key, or drop it")
      ->group(group);
  add_path(app, "--key-padding", options.key_padding, "bool, integer or float .npy [batch, keys]")->group(group);
  add_choice(app, "--key-padding-meaning", options.padding_meaning, meanings, "The same for --key-padding")
      ->group(group);
  add_path(app, "--key-lengths", options.key_lengths, "Live keys of each batch row: a .npy file, or 3,5,2")
      ->group(group);
}

void add_policies(CLI::App& app, LayerOptions& options) {
  constexpr auto group = "Masks";
  const auto set_causal = [&options](CausalAlignment alignment) {
    options.causal = true;
    options.causal_alignment = alignment;
  };
  const Choices<CausalAlignment> corners{{"auto", CausalAlignment::unspecified},
                                         {"upper-left", CausalAlignment::upper_left},
                                         {"lower-right", CausalAlignment::lower_right}};
  add_choice_function<CausalAlignment>(
      app, "--causal", set_causal, corners,
      "A query sees no later key; the corner must be named unless both lengths agree (auto, the default)")
      ->option_text("[auto|upper-left|lower-right]")
      ->expected(0, 1)
      ->default_str("auto")
      ->group(group);
  add_choice<RowsWithoutKeys>(
      app, "--rows-without-keys", options.load.rows_without_keys,
      {{"zero", RowsWithoutKeys::zero}, {"mean", RowsWithoutKeys::mean}, {"nan", RowsWithoutKeys::nan}},
      "What a query without a live key becomes (default zero)")
      ->group(group);
}

Choices<std::string> isa_choices() {
  Choices<std::string> choices{{"auto", "auto"}};
  for (const IsaInfo& isa : list_isas()) choices.emplace_back(isa.name, isa.name);
  return choices;
}

void add_running(CLI::App& app, LayerOptions& options) {
  constexpr auto group = "How to run";
  add_integer(app, "--threads", options.session.threads, 0, Session::max_threads,
              "Threads (default 0: what affinity and quota allow)")
      ->group(group);
  add_choice<std::string>(app, "--isa", options.model.isa, isa_choices(),
                          "Kernels to use (default: HEADWISE_ISA, then the fastest)")
      ->group(group);
  add_choice<Schedule>(app, "--schedule", options.session.schedule,
                       {{"auto", Schedule::automatic}, {"wide", Schedule::wide}, {"deep", Schedule::deep}},
                       "wide: all threads in one step; deep: a few sequences a thread")
      ->group(group);
}

}  // namespace

void add_layer_options(CLI::App& app, LayerOptions& options) {
  add_layer_choice(app, options);
  add_tensors(app, options);
  add_masks(app, options);
  add_policies(app, options);
  add_running(app, options);
  add_common_options(app, options.common);
}

std::string checked_isa(const std::string& isa) try { return resolve_isa(isa); } catch (const Error& error) {
  throw CommandError(std::string(error.what()) + "; choose another with --isa or HEADWISE_ISA");
}

void check_combinations(const LayerOptions& options) {
  const auto needs = [](bool given, bool other, const char* name, const char* other_name) {
    if (given && !other) throw UsageError(std::string(name) + " says nothing without " + other_name);
  };
  needs(options.mask_meaning != BooleanMask::unspecified, !options.mask.empty(), "--mask-meaning", "--mask");
  needs(options.padding_meaning != BooleanMask::unspecified, !options.key_padding.empty(), "--key-padding-meaning",
        "--key-padding");
  needs(!options.key.empty(), !options.query.empty(), "--key", "--query");
  needs(!options.value.empty(), !options.query.empty(), "--value", "--query");
}

}  // namespace headwise::tools
