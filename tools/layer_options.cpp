#include "layer_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>

#include "option_types.hpp"

namespace headwise::tools {
namespace {

constexpr auto any_number = std::numeric_limits<std::int64_t>::max();

void add_running(CLI::App& app, LayerOptions& options) {
  constexpr auto group = "How to run";
  add_choice<DType>(app, "--dtype", options.dtype, {{"f32", DType::f32}, {"f16", DType::f16}, {"bf16", DType::bf16}},
                    "Type of query, key, value and output (default f32); the arithmetic stays f32")
      ->group(group);
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

void add_cache(CLI::App& app, CacheOptions& cache) {
  constexpr auto group = "Cache";
  CLI::Option* capacity = add_integer<std::int64_t>(
      app, "--cache-capacity", cache.capacity, 1, any_number,
      "Feed the query token by token through a key/value cache of N tokens, as decoding does");
  capacity->group(group);
  add_choice<DType>(app, "--cache-type", cache.dtype, {{"f32", DType::f32}, {"f16", DType::f16}, {"bf16", DType::bf16}},
                    "Type of the cached keys and values (default f32)")
      ->needs(capacity)
      ->group(group);
  app.add_flag("--cache-circular", cache.circular, "A full cache forgets its oldest tokens")
      ->needs(capacity)
      ->option_text(" ")
      ->group(group);
}

void check_family(const std::string& name) {
  std::string known, last;
  for (const FamilyRow& row : list_families()) {
    if (row.family == name) return;
    if (row.family != last) known += (known.empty() ? "" : ", ") + row.family;
    last = row.family;
  }
  throw CLI::ValidationError("--family", "must be one of " + known + ", not '" + name + "'; " + families_advice);
}

void check_listed_once(std::vector<std::int64_t> heads) {
  std::sort(heads.begin(), heads.end());
  const auto twice = std::adjacent_find(heads.begin(), heads.end());
  if (twice != heads.end())
    throw CLI::ValidationError("--keep-heads", "lists head " + std::to_string(*twice) + " twice");
}

}  // namespace

void add_layout_choice(CLI::App& app, LoadOptions& load) {
  constexpr auto group = layer_choice_group;
  const auto set_family = [&load](const std::string& name) {
    check_family(name);
    load.family = name;
  };
  CLI::Option* family = app.add_option_function<std::string>(
      "--family", set_family, "How the layers are stored, see 'headwise inspect --families'");
  family->option_text("NAME")->group(group);
  add_path(app, "--map", load.name_map, "JSON file that says which tensor is which matrix (docs/weights.md)")
      ->excludes(family)
      ->group(group);
}

void add_heads(CLI::App& app, LoadOptions& load) {
  add_integer<std::int64_t>(app, "--heads", load.num_heads, 1, any_number,
                            "Number of heads (default: config.json beside the file)")
      ->group(layer_choice_group);
}

void add_layer_choice(CLI::App& app, LoadOptions& load) {
  constexpr auto group = layer_choice_group;
  add_integer<std::int64_t>(app, "--layer", load.layer, 0, any_number,
                            "Index of the layer, see 'headwise inspect FILE' (default 0)")
      ->group(group);
  add_heads(app, load);
  CLI::Option* prefix = app.add_option("--prefix", load.prefix, "Only the layers with this prefix, see inspect");
  prefix->option_text("TEXT")->group(group);
  add_layout_choice(app, load);
  app.get_option("--map")->excludes(prefix);
  const auto set_heads = [&load](const std::string& text) {
    load.keep_heads = whole_numbers("--keep-heads", text);
    check_listed_once(load.keep_heads);
  };
  app.add_option_function<std::string>("--keep-heads", set_heads,
                                       "Load these heads only, e.g. 0,2,5, as if there were no others")
      ->option_text("LIST")
      ->group(group);
  const auto ignore_config = [&load](std::int64_t) { load.use_model_config = false; };
  app.add_flag_function("--no-model-config", ignore_config, "Take nothing from config.json beside the file")
      ->group(group);
  app.add_flag("--allow-missing-bias", load.allow_missing_bias, "Take a missing bias as zero")->group(group);
  add_choice<StoredCheck>(
      app, "--stored-check", load.stored_check,
      {{"auto", StoredCheck::when_present}, {"require", StoredCheck::required}, {"off", StoredCheck::off}},
      "The check that a file may keep beside a layer (default auto: where there is one)")
      ->group(group);
  app.add_flag("--allow-trailing-bytes", load.open.allow_trailing_bytes, "Accept bytes after the last tensor")
      ->group(group);
}

Choices<std::string> isa_choices() {
  Choices<std::string> choices{{"auto", "auto"}};
  for (const IsaInfo& isa : list_isas()) choices.emplace_back(isa.name, isa.name);
  return choices;
}

void add_input_options(CLI::App& app, PerInput<std::string>& files, std::string_view group) {
  for (const InputFile& file : input_files()) {
    if (file.group != group) continue;
    CLI::Option* option = add_path(app, file.option(), files[file.id], file.help);
    option->group(file.group);
    if (file.kind == InputKind::numbers) option->option_text("FILE|LIST");
  }
}

void add_layer_options(CLI::App& app, LayerOptions& options) {
  add_layer_choice(app, options.load);
  add_input_options(app, options.inputs, "Inputs (.npy)");
  add_common_options(app, options.common);
}

void add_call_options(CLI::App& app, LayerOptions& options) {
  add_mask_options(app, options);
  add_score_options(app, options.load);
  add_cache(app, options.cache);
  add_running(app, options);
}

std::string checked_isa(const std::string& isa) try { return resolve_isa(isa); } catch (const Error& error) {
  throw CommandError(std::string(error.what()) + "; choose another with --isa or HEADWISE_ISA");
}

}  // namespace headwise::tools
