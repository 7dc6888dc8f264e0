// headwise verify: the chosen kernels against the scalar reference kernel, which adds up in double.
#include <CLI/CLI.hpp>
#include <headwise/headwise.hpp>
#include <limits>
#include <memory>

#include "command.hpp"
#include "console.hpp"
#include "double_layer.hpp"
#include "option_types.hpp"
#include "verify_report.hpp"

namespace headwise::tools {
namespace {

constexpr auto details = R"(
Three comparisons of the chosen kernels with the reference kernel (eps = 2^-23, p the
weights, v the projected values, Wo and bo the output projection):
  core     attention of the same projected inputs, in units of eps·Σp|v|
  layer    the whole layer, in units of eps·(|Wo|·Σp|v| + |bo|)
  weights  in units of eps
It fails (exit code 1) when one is off by more than max(8, 2·S) units anywhere, where S is the
largest scale·Σ|q·k|: rounding in a score of that size moves its weight by about eps·S.
Without --query the inputs are random, of shape [2, 33, width].

Example:
  headwise verify model.safetensors --layer 0 --isa avx2)";

constexpr std::int64_t random_batch = 2, random_length = 33;

// Key and value follow the query, as in run, unless the layer wants other widths.
LayerInputs random_inputs(const AttentionConfig& config, std::int64_t seed) {
  const auto draw = [&](std::int64_t width, std::uint64_t stream) {
    return random_tensor({random_batch, random_length, width}, static_cast<std::uint64_t>(seed) * 3 + stream);
  };
  LayerInputs inputs;
  inputs.query = draw(config.model_dim, 0);
  if (config.key_input_dim != config.model_dim) inputs.key = draw(config.key_input_dim, 1);
  if (config.value_input_dim != config.key_input_dim) inputs.value = draw(config.value_input_dim, 2);
  return inputs;
}

struct Outcome {
  Tensor output, attention;
};

Outcome run_into(Outcome outcome, const MultiHeadAttention& attention, const AttentionInputs& inputs,
                 const SessionOptions& options) {
  AttentionOutputs outputs;
  outputs.output = outcome.output;
  outputs.attention = outcome.attention;
  Session(attention, options).run(inputs, outputs);
  return outcome;
}

Outcome run_layer(const MultiHeadAttention& attention, const AttentionInputs& inputs, const SessionOptions& options) {
  const CallShape call = call_shape(inputs);
  const AttentionConfig& config = attention.config();
  return run_into({make_output(call, config), make_attention(call, config)}, attention, inputs, options);
}

Outcome run_core(const AttentionConfig& config, const std::string& isa, const AttentionInputs& inputs,
                 const SessionOptions& options) {
  ModelOptions model;
  model.isa = isa;
  const auto attention = MultiHeadAttention::without_projections(config, model);
  const Dims &query = inputs.query.shape, &key = inputs.key.shape;
  return run_into(
      {Tensor({query[0], query[1], query[2], config.value_dim}), Tensor({query[0], query[1], query[2], key[2]})},
      attention, inputs, options);
}

AttentionInputs core_inputs(AttentionInputs inputs, const ProjectedInputs& projected, const AttentionConfig& config) {
  inputs.query = split_heads(projected.query, config.num_heads);
  inputs.key = split_heads(projected.key, config.num_kv_heads);
  inputs.value = split_heads(projected.value, config.num_kv_heads);
  return inputs;
}

// Fills what result says about deviations.
void compare(const AttentionInputs& inputs, const VerifyOptions& options, VerifyResult& result) {
  const AttentionWeights& weights = result.loaded.weights;
  const MultiHeadAttention chosen(weights, options.model), reference(weights, {.isa = "reference"});
  result.isa = chosen.isa();
  const Outcome layer = run_layer(chosen, inputs, options.session);
  const Outcome expected = run_layer(reference, inputs, options.session);
  const ProjectedInputs projected = project_inputs(inputs, weights);
  const AttentionInputs core = core_inputs(inputs, projected, result.config);
  const Outcome core_expected = run_core(result.config, "reference", core, options.session);
  const Outcome core_actual = run_core(result.config, options.model.isa, core, options.session);

  const auto mass = value_mass(core_expected.attention, projected.value, result.config);
  const std::vector<double> ones(static_cast<std::size_t>(expected.attention.size()), 1.0);
  result.score_mass = score_mass(projected, core_expected.attention, result.config);
  result.core = deviation(core_actual.output, core_expected.output, mass);
  result.layer = deviation(layer.output, expected.output, output_mass(mass, weights, result.config, result.call));
  result.attention = deviation(layer.attention, expected.attention, ones);
}

int verify(const VerifyOptions& options) {
  check_combinations(options);
  const Console console(options.common);
  checked_isa(options.model.isa);
  LayerInputs inputs = load_inputs(options, console);
  VerifyResult result;
  result.loaded = load_layer(options, console);
  result.config = resolve(result.loaded.weights.config);
  result.random_inputs = !inputs.query.given();
  if (result.random_inputs) {
    LayerInputs drawn = random_inputs(result.config, options.seed);
    inputs.query = std::move(drawn.query);
    inputs.key = std::move(drawn.key);
    inputs.value = std::move(drawn.value);
  }
  const AttentionInputs views = inputs.views(options);
  result.call = call_shape(views);
  compare(views, options, result);
  write_output(options.common.json ? verify_json(result, options) : verify_text(result, options));
  if (result.passed()) return exit_ok;
  write_error("verify failed: " + failure_text(result) + "; try --isa to see which kernels differ");
  return exit_failed;
}

}  // namespace

Command add_verify(CLI::App& app) {
  CLI::App* parser = app.add_subcommand("verify", "Compare a layer's kernels with the reference kernel");
  auto options = std::make_shared<VerifyOptions>();
  add_layer_options(*parser, *options);
  add_integer<std::int64_t>(*parser, "--seed", options->seed, 0, std::numeric_limits<std::int64_t>::max(),
                            "Seed of the random inputs (default 1)")
      ->group("Inputs (.npy)");
  parser->footer(details);
  return {parser, [options] { return verify(*options); }};
}

}  // namespace headwise::tools
