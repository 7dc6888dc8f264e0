#include "sized_call.hpp"

#include <CLI/CLI.hpp>
#include <limits>

#include "decode.hpp"
#include "option_types.hpp"

namespace headwise::tools {
namespace {

constexpr auto any_number = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t default_length = 128;

void add_sizes(CLI::App& app, SizedOptions& options) {
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

void check_sizes(const CLI::App& app, const SizedOptions& options) {
  const bool file = !options.file.empty();
  for (const char* name : {"--width", "--kv-heads", "--head-dim"}) {
    if (file && app.count(name) > 0) throw UsageError(std::string(name) + " is for a layer without FILE");
  }
  for (const char* name :
       {"--layer", "--prefix", "--family", "--map", "--stored-check", "--no-model-config", "--allow-missing-bias",
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

// What run takes from the file and from config.json, here from the options alone.
AttentionWeights make_weights(const SizedOptions& options) {
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

LoadedLayer make_layer(const SizedOptions& options, const Console& console) {
  if (!options.file.empty()) return load_layer(options, console);
  LoadedLayer loaded;
  loaded.weights = make_weights(options);
  return loaded;
}

MultiHeadAttention make_attention(const SizedOptions& options, const AttentionWeights& weights) {
  ModelOptions model = options.model;
  model.head_contribution = options.wants(Output::head_contribution);
  return MultiHeadAttention(weights, model);
}

}  // namespace

void add_call(CLI::App& app, SizedOptions& options) {
  add_path(app, "FILE", options.file, "Weight file or model folder, or none: see --width")->option_text(" ");
  add_layer_options(app, options);
  add_sizes(app, options);
  add_result_options(app, options);
  add_call_options(app, options);
}

void check_call(const CLI::App& app, const SizedOptions& options) {
  check_results(app, options);
  check_sizes(app, options);
  const bool query = options.given(Input::query), cached = options.cache.capacity > 0;
  for (const char* name : {"--batch", "--length", "--key-length"}) {
    if (query && app.count(name) > 0) throw UsageError(std::string(name) + " is for a call without --query");
  }
  if (cached && query) check_decoding(options);
  if (cached && options.key_length > 0) throw UsageError("--key-length has no meaning with --cache-capacity");
}

SizedCall::SizedCall(const SizedOptions& options, Purpose purpose, const Console& console) : purpose_(purpose) {
  checked_isa(options.model.isa);
  inputs = load_inputs(options, console);
  loaded = make_layer(options, console);
  if (!options.given(Input::query)) fill_inputs(options);
  attention.emplace(make_attention(options, loaded.weights));
  if (options.cache.capacity > 0) fill_cache(options);
  if (purpose == Purpose::run) results = make_results(forms(options));
}

// Key and value are the query unless the layer or the lengths want others.
void SizedCall::fill_inputs(const SizedOptions& options) {
  const AttentionConfig config = resolve(loaded.weights.config);
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

// A given query goes through the cache token by token, as in run, and its last token is the call. Else the query comes
// as one piece, behind as many tokens as the cache has room for.
void SizedCall::fill_cache(const SizedOptions& options) {
  const AttentionConfig& config = attention->config();
  const CallShape shape = call_shape(inputs.views(options));
  check_room(options.cache, shape.query_length);
  const std::int64_t room = std::max<std::int64_t>(options.cache.capacity - shape.query_length, 0);
  const bool given = options.given(Input::query);
  cached_tokens = given ? std::min(shape.query_length - 1, options.cache.capacity) : room;
  cache.emplace(config,
                KvCacheOptions{shape.batch, options.cache.capacity, options.cache.dtype, options.cache.circular});
  cache->append(Tensor({shape.batch, config.num_kv_heads, cached_tokens, config.head_dim}),
                Tensor({shape.batch, config.num_kv_heads, cached_tokens, config.value_dim}));
}

std::vector<ResultForm> SizedCall::forms(const SizedOptions& options) {
  ResultSizes sizes = result_sizes(arguments(options), loaded.weights);
  sizes.columns += cached_tokens;
  return result_forms(options, inputs, sizes);
}

AttentionOutputs SizedCall::outputs(const SizedOptions& options) {
  AttentionOutputs all = results.views(options, inputs);
  if (purpose_ == Purpose::run) return all;
  for (const ResultForm& form : forms(options)) {
    const auto elements = static_cast<std::uint64_t>(element_count(form.shape));
    void* place = addresses_.reserve(elements * dtype_size(form.dtype));
    all.*output_file(form.id).view = {place, form.dtype, form.shape};
  }
  return all;
}

AttentionInputs SizedCall::arguments(const SizedOptions& options) {
  AttentionInputs all = inputs.views(options);
  if (!cache) return all;
  const bool given = options.given(Input::query);
  if (given) all = token_inputs(all, call_shape(all).query_length - 1);
  all.cache = &*cache;
  return all;
}

}  // namespace headwise::tools
