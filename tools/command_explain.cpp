// headwise explain: what run would do with the same options, without doing it.
#include <CLI/CLI.hpp>
#include <headwise/headwise.hpp>
#include <limits>
#include <memory>

#include "command.hpp"
#include "console.hpp"
#include "decode.hpp"
#include "explain_report.hpp"
#include "option_types.hpp"

namespace headwise::tools {
namespace {

constexpr auto details = R"(
Takes the options of run and tells, before anything is computed, which kernel,
schedule and threads would serve the call, what each step costs, and why it is
not a faster one. Nothing is written: files of results only say what would be
asked for. Without --query the inputs are zeros of --batch and --length; without
FILE the layer has random weights of --width and --heads. With --cache-capacity
it tells the last token of the query, or the last call that the cache has room
for.

Example:
  headwise explain model.safetensors --query x.npy --attention w.npy
  headwise explain --width 4096 --heads 32 --kv-heads 8 --length 2048 --causal
  headwise explain model.safetensors --cache-capacity 4096)";

constexpr auto any_number = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t default_length = 128;

void add_sizes(CLI::App& app, ExplainOptions& options) {
  constexpr auto layer = "A layer without FILE", call = "A call without --query";
  const auto add = [&](const char* name, std::int64_t& target, const char* help, const char* group) {
    add_integer<std::int64_t>(app, name, target, 1, any_number, help)->group(group);
  };
  add("--width", options.sizes.model_dim, "Width of its input (model_dim); --heads says how many heads", layer);
  add("--kv-heads", options.sizes.num_kv_heads, "Key/value heads (default: as many as heads)", layer);
  add("--head-dim", options.sizes.head_dim, "Size of a head (default: width / heads)", layer);
  add("--batch", options.batch, "Sequences (default 1)", call);
  add("--length", options.length, "Queries of each (default 128; with a cache 1)", call);
  add("--key-length", options.key_length, "Keys of each (default: the query is the key)", call);
}

void check_sizes(const CLI::App& app, const ExplainOptions& options) {
  const bool file = !options.file.empty();
  for (const char* name : {"--width", "--kv-heads", "--head-dim"}) {
    if (file && app.count(name) > 0) throw UsageError(std::string(name) + " is for a layer without FILE");
  }
  for (const char* name : {"--layer", "--prefix", "--family", "--no-model-config", "--allow-missing-bias",
                           "--allow-trailing-bytes", "--norm-epsilon", "--norm-plus-one", "--t5-backward"}) {
    if (!file && app.count(name) > 0) throw UsageError(std::string(name) + " says nothing without a FILE");
  }
  if (!file && options.load.position_bias && options.load.position_bias->kind == PositionBias::t5) {
    throw UsageError("--position-bias t5 needs a FILE with a table of biases");
  }
  if (!file && (options.sizes.model_dim == 0 || options.load.num_heads == 0)) {
    throw UsageError("give a weight FILE, or --width and --heads for a layer of random weights");
  }
}

void check_options(const CLI::App& app, const ExplainOptions& options) {
  check_results(app, options);
  check_sizes(app, options);
  const bool query = options.given(Input::query), cached = options.cache.capacity > 0;
  for (const char* name : {"--batch", "--length", "--key-length"}) {
    if (query && app.count(name) > 0) throw UsageError(std::string(name) + " is for a call without --query");
  }
  if (cached && query) check_decoding(options);
  if (cached && options.key_length > 0) throw UsageError("--key-length has no meaning with --cache-capacity");
}

// What run takes from the file and from config.json, here from the options alone.
AttentionWeights make_weights(const ExplainOptions& options) {
  const LoadOptions& load = options.load;
  AttentionConfig config = options.sizes;
  config.num_heads = load.num_heads;
  config.scale = load.scale;
  config.rows_without_keys = load.rows_without_keys;
  config.softcap = load.softcap.value_or(0);
  config.add_zero_attention = load.add_zero_attention;
  config.rotary = load.rotary.value_or(RotaryConfig{});
  config.position_bias = load.position_bias.value_or(PositionBiasConfig{});
  AttentionWeights weights = random_weights(config, 1);
  return load.keep_heads.empty() ? weights : keep_heads(weights, load.keep_heads);
}

LoadedLayer make_layer(const ExplainOptions& options, const Console& console) {
  if (!options.file.empty()) return load_layer(options, console);
  LoadedLayer loaded;
  loaded.weights = make_weights(options);
  return loaded;
}

// Key and value are the query unless the layer or the lengths want others.
void fill_inputs(const ExplainOptions& options, const AttentionConfig& config, LayerInputs& inputs) {
  const std::int64_t usual = options.cache.capacity > 0 ? 1 : default_length;
  const std::int64_t length = options.length > 0 ? options.length : usual;
  const std::int64_t keys = options.key_length > 0 ? options.key_length : length;
  inputs.tensors[Input::query] = Tensor(options.dtype, {options.batch, length, config.model_dim});
  if (keys != length || config.key_input_dim != config.model_dim) {
    inputs.tensors[Input::key] = Tensor(options.dtype, {options.batch, keys, config.key_input_dim});
  }
  if (config.value_input_dim != config.key_input_dim) {
    inputs.tensors[Input::value] = Tensor(options.dtype, {options.batch, keys, config.value_input_dim});
  }
}

KvCache filled_cache(const ExplainOptions& options, const AttentionConfig& config, ExplainResult& result) {
  KvCacheOptions wanted;
  wanted.batch =
      result.inputs.tensors[Input::query].shape().rank() == 3 ? result.inputs.tensors[Input::query].shape()[0] : 1;
  wanted.capacity = options.cache.capacity;
  wanted.dtype = options.cache.dtype;
  wanted.circular = options.cache.circular;
  KvCache cache(config, wanted);
  cache.append(Tensor({wanted.batch, config.num_kv_heads, result.cached_tokens, config.head_dim}),
               Tensor({wanted.batch, config.num_kv_heads, result.cached_tokens, config.value_dim}));
  return cache;
}

// A given query goes through the cache token by token, as in run, and its last token is told. Else the query comes as
// one piece, behind as many tokens as the cache has room for.
AttentionInputs cached_inputs(const ExplainOptions& options, ExplainResult& result) {
  const AttentionInputs inputs = result.inputs.views(options);
  const std::int64_t length = call_shape(inputs).query_length;
  check_room(options.cache, length);
  const bool given = options.given(Input::query);
  const std::int64_t room = std::max<std::int64_t>(options.cache.capacity - length, 0);
  result.cached_tokens = given ? std::min(length - 1, options.cache.capacity) : room;
  return given ? token_inputs(inputs, length - 1) : inputs;
}

void plan(ExplainResult& result, const ExplainOptions& options) {
  ModelOptions model = options.model;
  model.head_contribution = options.wants(Output::head_contribution);
  const MultiHeadAttention attention(result.loaded.weights, model);
  const bool cached = options.cache.capacity > 0;
  AttentionInputs inputs = cached ? cached_inputs(options, result) : result.inputs.views(options);
  std::optional<KvCache> cache;
  if (cached) inputs.cache = &cache.emplace(filled_cache(options, attention.config(), result));
  ResultSizes sizes = result_sizes(inputs, result.loaded.weights);
  sizes.columns += result.cached_tokens;
  LayerResults results = make_results(options, result.inputs, sizes);
  result.plan = Session(attention, options.session).explain(inputs, results.views(options, result.inputs));
}

int explain(const CLI::App& app, const ExplainOptions& options) {
  check_options(app, options);
  const Console console(options.common);
  checked_isa(options.model.isa);
  ExplainResult result;
  result.inputs = load_inputs(options, console);
  result.loaded = make_layer(options, console);
  const AttentionConfig config = resolve(result.loaded.weights.config);
  if (!options.given(Input::query)) fill_inputs(options, config, result.inputs);
  plan(result, options);
  write_output(options.common.json ? explain_json(result, options) : explain_text(result, options));
  return exit_ok;
}

}  // namespace

Command add_explain(CLI::App& app) {
  CLI::App* parser = app.add_subcommand("explain", "Tell what run would do and why it is not faster; runs nothing");
  auto options = std::make_shared<ExplainOptions>();
  add_path(*parser, "FILE", options->file, "Weight file (.safetensors), or none: see --width")->option_text(" ");
  add_layer_options(*parser, *options);
  add_sizes(*parser, *options);
  add_result_options(*parser, *options);
  add_call_options(*parser, *options);
  parser->footer(details);
  return {parser, [parser, options] { return explain(*parser, *options); }};
}

}  // namespace headwise::tools
