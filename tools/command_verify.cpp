// headwise verify: the chosen kernels against the layer's definition in double.
#include <CLI/CLI.hpp>
#include <headwise/headwise.hpp>
#include <limits>
#include <memory>

#include "command.hpp"
#include "console.hpp"
#include "decode.hpp"
#include "double_layer.hpp"
#include "option_types.hpp"
#include "verify_report.hpp"

namespace headwise::tools {
namespace {

constexpr auto details = R"(
Compares the chosen kernels with the layer's definition computed in double:
masks, norms, rotary embedding, soft-cap, position bias, sinks and added keys
included. Units (eps = 2^-23, p weights, v projected values, x inputs, W and b
projections):
  core     attention of the same projected inputs: eps·Σp|v|
  weights  those of the core: eps
  output   the whole layer: eps·(|Wo|·Σp(|Wv||x| + |bv|) + |bo|)
  cache    with --cache-capacity, token by token: the same, eps of --cache-type
It fails (exit code 1) when one is off by more than max(8, 2·S) units anywhere,
where S is the largest scale·Σ|q·k| + |bias|: rounding in a score of that size
moves its weight by about eps·S. For output and cache, |W||x| + |b| stands for
one of |q| and |k|. It cannot check ragged batches (--cumulative-...) and
--dtype. Without --query the inputs are random, of shape [2, 33, width].

Example:
  headwise verify model.safetensors --layer 0 --isa avx2)";

constexpr std::int64_t random_batch = 2, random_length = 33;

// Key and value follow the query, as in run, unless the layer wants other widths.
void draw_inputs(const AttentionConfig& config, std::int64_t seed, LayerInputs& inputs) {
  const auto draw = [&](std::int64_t width, std::uint64_t stream) {
    return random_tensor({random_batch, random_length, width}, static_cast<std::uint64_t>(seed) * 3 + stream);
  };
  inputs.tensors[Input::query] = draw(config.model_dim, 0);
  if (config.key_input_dim != config.model_dim) inputs.tensors[Input::key] = draw(config.key_input_dim, 1);
  if (config.value_input_dim != config.key_input_dim) inputs.tensors[Input::value] = draw(config.value_input_dim, 2);
}

void check_options(const VerifyOptions& options) {
  check_combinations(options);
  if (options.given(Input::cumulative_query_lengths)) {
    throw UsageError("verify cannot check ragged batches; leave out --cumulative-query-lengths");
  }
  if (options.dtype != DType::f32) throw UsageError("verify cannot check --dtype, it compares f32; leave it out");
  if (options.cache.capacity > 0) check_decoding(options);
}

// Through a cache every call is causal, and one that forgets is a window.
AttentionInputs as_decoded(AttentionInputs inputs, const CacheOptions& cache) {
  inputs.causal = true;
  if (!cache.circular) return inputs;
  const std::int64_t left = inputs.window.left;
  inputs.window.left = left < 0 ? cache.capacity - 1 : std::min(left, cache.capacity - 1);
  return inputs;
}

// The parts of a layer that a call without projections takes.
AttentionWeights without_matrices(const AttentionWeights& weights) {
  AttentionWeights core = weights;
  for (Tensor* matrix : {&core.query_weight, &core.key_weight, &core.value_weight, &core.output_weight,
                         &core.query_bias, &core.key_bias, &core.value_bias, &core.output_bias}) {
    *matrix = Tensor();
  }
  return core;
}

// The library refuses what does not fit before the oracle takes it as it comes.
void check_call(const AttentionInputs& inputs, const VerifyOptions& options, const VerifyResult& result) {
  const MultiHeadAttention model(result.loaded.weights, options.model);
  Tensor output({result.call.batch, result.call.query_length, model.config().output_dim});
  if (!result.call.batched) output = Tensor({result.call.query_length, model.config().output_dim});
  Session(model, options.session).explain(inputs, {.output = output});
}

void compare_core(const DoubleInputs& projected, const AttentionInputs& inputs, const VerifyOptions& options,
                  VerifyResult& result) {
  const AttentionWeights& weights = result.loaded.weights;
  const DoubleAttention expected = attend(projected, inputs, weights);
  const Tensor query = to_tensor(projected.query), key = to_tensor(projected.key), value = to_tensor(projected.value);
  AttentionInputs core = inputs;
  core.query = query;
  core.key = key;
  core.value = value;
  const HeadRows& context = expected.context;
  Tensor output({context.batch, context.heads, context.length, context.size});
  Tensor attention({context.batch, context.heads, context.length, result.call.key_length + extra_keys(weights)});
  const auto model = MultiHeadAttention::without_projections(without_matrices(weights), options.model);
  Session(model, options.session).run(core, {.output = output, .attention = attention});
  result.core_limit = limit_of(expected.score_mass);
  result.core = deviation(output, context.value, context.mass, epsilon_of(DType::f32));
  const std::vector<double> ones(expected.weights.size(), 1.0);
  result.attention = deviation(attention, expected.weights, ones, epsilon_of(DType::f32));
}

void compare_layer(const DoubleInputs& projected, const AttentionInputs& inputs, const VerifyOptions& options,
                   VerifyResult& result) {
  const AttentionWeights& weights = result.loaded.weights;
  const DoubleAttention attended = attend(projected, inputs, weights);
  const HeadRows expected = project_output(attended.context, weights, inputs);
  const MultiHeadAttention model(weights, options.model);
  Session session(model, options.session);
  Tensor output({expected.batch, expected.length, expected.size});
  if (!result.call.batched) output = Tensor({expected.length, expected.size});
  session.run(inputs, {.output = output});
  result.isa = model.isa();
  result.layer_limit = limit_of(attended.score_mass);
  result.layer = deviation(output, expected.value, expected.mass, epsilon_of(DType::f32));
  if (options.cache.capacity == 0) return;
  Decoder(model.config(), options.cache, inputs).run(session, output);
  result.cache = deviation(output, expected.value, expected.mass, epsilon_of(options.cache.dtype));
}

int verify(const VerifyOptions& options) {
  check_options(options);
  const Console console(options.common);
  checked_isa(options.model.isa);
  VerifyResult result;
  result.inputs = load_inputs(options, console);
  result.loaded = load_layer(options, console);
  result.random_inputs = !options.given(Input::query);
  if (result.random_inputs) draw_inputs(resolve(result.loaded.weights.config), options.seed, result.inputs);
  AttentionInputs inputs = result.inputs.views(options);
  if (options.cache.capacity > 0) inputs = as_decoded(inputs, options.cache);
  result.call = call_shape(inputs);
  check_call(inputs, options, result);
  const DoubleInputs projected = project_inputs(inputs, result.loaded.weights);
  compare_layer(projected, inputs, options, result);
  compare_core(rounded(projected), inputs, options, result);
  write_output(options.common.json ? verify_json(result, options) : verify_text(result, options));
  if (result.passed()) return exit_ok;
  write_error("verify failed: " + failure_text(result) + "; try --isa to see which kernels differ");
  return exit_failed;
}

}  // namespace

Command add_verify(CLI::App& app) {
  CLI::App* parser = app.add_subcommand("verify", "Compare a layer's kernels with its definition in double");
  auto options = std::make_shared<VerifyOptions>();
  add_path(*parser, "FILE", options->file, weight_file_help)->required()->option_text("(required)");
  add_layer_options(*parser, *options);
  add_call_options(*parser, *options);
  add_integer<std::int64_t>(*parser, "--seed", options->seed, 0, std::numeric_limits<std::int64_t>::max(),
                            "Seed of the random inputs (default 1)")
      ->group("Inputs (.npy)");
  parser->footer(details);
  return {parser, [options] { return verify(*options); }};
}

}  // namespace headwise::tools
