// What a layer does to scores and positions, where neither its file nor config.json say it.
#include <CLI/CLI.hpp>
#include <limits>

#include "layer_options.hpp"
#include "option_types.hpp"
#include "option_words.hpp"

namespace headwise::tools {
namespace {

constexpr auto scores = "Scores", rotary = "Rotary embedding", bias = "Position bias";
constexpr auto any_number = std::numeric_limits<std::int64_t>::max();

void add_scores(CLI::App& app, LoadOptions& load) {
  add_number(app, "--scale", load.scale, "Factor of the scores (default: 1/sqrt(head size), T5 1)")->group(scores);
  add_number(app, "--softcap", load.softcap, "Scores become X·tanh(score/X); 0: they stay")->group(scores);
  add_number(app, "--norm-epsilon", load.norm_epsilon, "Of the norms of query and key (default 1e-6)")->group(scores);
  const auto plus_one = [&load](std::int64_t) { load.norm_plus_one = true; };
  app.add_flag_function("--norm-plus-one", plus_one, "These norms are stored less one, as Gemma has it")->group(scores);
  app.add_flag("--add-zero-attention", load.add_zero_attention, "One more key and value of zeros that all queries see")
      ->group(scores);
  add_choice<RowsWithoutKeys>(
      app, "--rows-without-keys", load.rows_without_keys,
      {{"zero", RowsWithoutKeys::zero}, {"mean", RowsWithoutKeys::mean}, {"nan", RowsWithoutKeys::nan}},
      "What a query without a live key becomes (default zero)")
      ->group(scores);
}

RotaryConfig& rotary_of(LoadOptions& load) {
  if (!load.rotary) load.rotary.emplace();
  return *load.rotary;
}

struct RotaryNumber {
  const char *name, *help;
  double RotaryConfig::*member;
};

constexpr RotaryNumber rotary_numbers[] = {
    {"--rotary-base", "Base of the wavelengths (default 10000)", &RotaryConfig::base},
    {"--rotary-factor", "Of every scaling: how much longer than trained", &RotaryConfig::factor},
    {"--rotary-low-frequency-factor", "Of llama3 (default 1)", &RotaryConfig::low_frequency_factor},
    {"--rotary-high-frequency-factor", "Of llama3 (default 4)", &RotaryConfig::high_frequency_factor},
    {"--rotary-beta-fast", "Of yarn: turns at which the blend starts (default 32)", &RotaryConfig::beta_fast},
    {"--rotary-beta-slow", "Of yarn: turns at which it ends (default 1)", &RotaryConfig::beta_slow},
    {"--rotary-attention-factor", "Of yarn: of the magnitude (default 0.1·ln(factor) + 1)",
     &RotaryConfig::attention_factor},
};

// All of them describe one embedding as a whole, so that nothing is mixed with what config.json says.
void add_rotary(CLI::App& app, LoadOptions& load) {
  const auto set_dim = [&load](const std::string& text) {
    rotary_of(load).dim = whole_number_between("--rotary-dim", text, 0, any_number);
  };
  CLI::Option* dim = app.add_option_function<std::string>(
      "--rotary-dim", set_dim, "Components of each head that turn (default: config.json); 0: none, whatever it says");
  dim->option_text("N")->group(rotary);
  add_choice_function<RotaryLayout>(
      app, "--rotary-layout", [&load](RotaryLayout layout) { rotary_of(load).layout = layout; },
      {{"half-split", RotaryLayout::half_split}, {"interleaved", RotaryLayout::interleaved}},
      "Components that turn together: i and i + N/2 (default), or 2i and 2i + 1")
      ->needs(dim)
      ->group(rotary);
  add_choice_function<RotaryScaling>(
      app, "--rotary-scaling", [&load](RotaryScaling scaling) { rotary_of(load).scaling = scaling; },
      {{"none", RotaryScaling::none},
       {"linear", RotaryScaling::linear},
       {"ntk", RotaryScaling::ntk},
       {"yarn", RotaryScaling::yarn},
       {"llama3", RotaryScaling::llama3}},
      "How it is stretched to longer texts (default none)")
      ->needs(dim)
      ->group(rotary);
  for (const RotaryNumber& number : rotary_numbers) {
    const auto set = [&load, number](double value) { rotary_of(load).*number.member = value; };
    add_number(app, number.name, set, number.help)->needs(dim)->group(rotary);
  }
  const auto set_length = [&load](const std::string& text) {
    rotary_of(load).original_positions = whole_number_between("--rotary-original-positions", text, 1, any_number);
  };
  app.add_option_function<std::string>("--rotary-original-positions", set_length,
                                       "Of yarn and llama3: the length that the model was trained with")
      ->needs(dim)
      ->option_text("N")
      ->group(rotary);
}

PositionBiasConfig& bias_of(LoadOptions& load) {
  if (!load.position_bias) load.position_bias.emplace();
  return *load.position_bias;
}

void add_bias(CLI::App& app, LoadOptions& load) {
  CLI::Option* kind = add_choice_function<PositionBias>(
      app, "--position-bias", [&load](PositionBias chosen) { bias_of(load).kind = chosen; },
      {{"none", PositionBias::none}, {"alibi", PositionBias::alibi}, {"t5", PositionBias::t5}},
      "Added to scores by distance (default: t5 for T5, else none)");
  kind->group(bias);
  add_choice_function<AlibiSlopes>(
      app, "--alibi-slopes", [&load](AlibiSlopes slopes) { bias_of(load).slopes = slopes; },
      {{"interleaved", AlibiSlopes::interleaved}, {"geometric", AlibiSlopes::geometric}},
      "Rule for head counts that are no power of two (default interleaved)")
      ->needs(kind)
      ->group(bias);
  add_number(
      app, "--alibi-max", [&load](double value) { bias_of(load).alibi_max = value; }, "Slopes reach 2^-X (default 8)")
      ->needs(kind)
      ->group(bias);
  app.add_flag_function(
         "--t5-backward", [&load](std::int64_t) { bias_of(load).bidirectional = false; },
         "All buckets are for keys before the query, as in decoders")
      ->needs(kind)
      ->option_text(" ")
      ->group(bias);
  const auto set_distance = [&load](const std::string& text) {
    bias_of(load).max_distance = whole_number_between("--t5-max-distance", text, 1, any_number);
  };
  app.add_option_function<std::string>("--t5-max-distance", set_distance,
                                       "Farther keys share the last bucket (default 128)")
      ->needs(kind)
      ->option_text("N")
      ->group(bias);
}

// Options of one kind of scaling or bias say nothing beside another kind.
void check_kinds(const CLI::App& app, const LoadOptions& load) {
  const auto refuse = [&](const char* option, bool fits, const char* wanted) {
    check_needs(app.count(option) > 0, fits, option, wanted);
  };
  const RotaryScaling scaling = load.rotary ? load.rotary->scaling : RotaryScaling::none;
  const bool yarn = scaling == RotaryScaling::yarn, llama3 = scaling == RotaryScaling::llama3;
  const PositionBias kind = load.position_bias ? load.position_bias->kind : PositionBias::none;
  refuse("--rotary-factor", scaling != RotaryScaling::none, "--rotary-scaling");
  refuse("--rotary-original-positions", yarn || llama3, "--rotary-scaling yarn or llama3");
  refuse("--rotary-low-frequency-factor", llama3, "--rotary-scaling llama3");
  refuse("--rotary-high-frequency-factor", llama3, "--rotary-scaling llama3");
  refuse("--rotary-beta-fast", yarn, "--rotary-scaling yarn");
  refuse("--rotary-beta-slow", yarn, "--rotary-scaling yarn");
  refuse("--rotary-attention-factor", yarn, "--rotary-scaling yarn");
  refuse("--alibi-slopes", kind == PositionBias::alibi, "--position-bias alibi");
  refuse("--alibi-max", kind == PositionBias::alibi, "--position-bias alibi");
  refuse("--t5-backward", kind == PositionBias::t5, "--position-bias t5");
  refuse("--t5-max-distance", kind == PositionBias::t5, "--position-bias t5");
}

// The library's own rules, before any file is looked at: of a layer whose heads are as large as can be.
void check_values(const LoadOptions& load) try {
  AttentionConfig config;
  config.num_heads = 1;
  config.head_dim = 1 << 20;
  config.softcap = load.softcap.value_or(config.softcap);
  config.norm_epsilon = load.norm_epsilon.value_or(config.norm_epsilon);
  config.rotary = load.rotary.value_or(config.rotary);
  config.position_bias = load.position_bias.value_or(config.position_bias);
  resolve(config);
} catch (const Error& error) {
  throw UsageError(in_option_words(error.what()));
}

}  // namespace

void add_score_options(CLI::App& app, LoadOptions& load) {
  add_scores(app, load);
  add_rotary(app, load);
  add_bias(app, load);
  app.parse_complete_callback([&app, &load] {
    check_kinds(app, load);
    check_values(load);
  });
}

}  // namespace headwise::tools
