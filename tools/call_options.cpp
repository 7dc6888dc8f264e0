// Masks and positions of one call, and which options do not go together.
#include <CLI/CLI.hpp>

#include "layer_options.hpp"
#include "option_types.hpp"
#include "text.hpp"

namespace headwise::tools {
namespace {

constexpr auto masks = "Masks", positions = "Positions";

std::int64_t window_side(const std::string& text, const std::string& word) {
  if (word == "-1" || word == "open") return -1;
  if (const auto count = parse_whole_number(word)) return *count;
  throw CLI::ValidationError("--window",
                             "must be LEFT,RIGHT such as 127,0, each a number of keys or open, not '" + text + "'");
}

AttentionWindow parse_window(const std::string& text) {
  const std::size_t comma = std::min(text.find(','), text.size());
  const std::string right = comma < text.size() ? text.substr(comma + 1) : "";
  return {window_side(text, text.substr(0, comma)), window_side(text, right)};
}

void add_meanings(CLI::App& app, LayerOptions& options) {
  const Choices<BooleanMask> meanings{{"keep", BooleanMask::keep}, {"drop", BooleanMask::drop}};
  add_choice(app, "--mask-meaning", options.mask_meaning, meanings,
             "What true or nonzero says in a bool or integer --mask: keep the key, or drop it")
      ->group(masks);
  add_choice(app, "--key-padding-meaning", options.padding_meaning, meanings, "The same for --key-padding")
      ->group(masks);
}

void add_causal(CLI::App& app, LayerOptions& options) {
  const Choices<CausalAlignment> corners{{"auto", CausalAlignment::unspecified},
                                         {"upper-left", CausalAlignment::upper_left},
                                         {"lower-right", CausalAlignment::lower_right}};
  const auto align = [&options](CausalAlignment alignment) {
    const bool differs = options.alignment != CausalAlignment::unspecified && alignment != options.alignment;
    if (differs && alignment != CausalAlignment::unspecified) {
      throw UsageError("--causal and --causal-alignment name different corners; give one");
    }
    if (alignment != CausalAlignment::unspecified) options.alignment = alignment;
  };
  const auto set_causal = [&options, align](CausalAlignment alignment) {
    options.causal = true;
    align(alignment);
  };
  add_choice_function<CausalAlignment>(
      app, "--causal", set_causal, corners,
      "A query sees no later key; the corner must be named unless both lengths agree (auto, the default)")
      ->option_text("[auto|upper-left|lower-right]")
      ->expected(0, 1)
      ->default_str("auto")
      ->group(masks);
  add_choice_function<CausalAlignment>(
      app, "--causal-alignment", align, corners,
      "Where queries stand among the keys, for windows, distances and angles too: from the first key, or to the last")
      ->group(positions);
}

bool given(const LayerOptions& options, Input id) {
  return options.given(id);
}

void check_pair(const LayerOptions& options, Input first, Input second) {
  if (!given(options, first) || !given(options, second)) return;
  throw UsageError(input_file(first).option() + " and " + input_file(second).option() +
                   " exclude each other; give one");
}

}  // namespace

void add_mask_options(CLI::App& app, LayerOptions& options) {
  add_input_options(app, options.inputs, masks);
  add_meanings(app, options);
  add_causal(app, options);
  app.add_option_function<std::string>(
         "--window", [&options](const std::string& text) { options.window = parse_window(text); },
         "Keys that a query sees before and after its own position, e.g. 127,0; open leaves a side open")
      ->option_text("LEFT,RIGHT")
      ->group(masks);
  add_input_options(app, options.inputs, positions);
  add_input_options(app, options.inputs, "Heads");
}

void check_needs(bool given, bool other, const std::string& name, const std::string& other_name) {
  if (given && !other) throw UsageError(name + " says nothing without " + other_name);
}

void check_combinations(const LayerOptions& options) {
  const auto needs = [&](Input id, Input other) {
    check_needs(given(options, id), given(options, other), input_file(id).option(), input_file(other).option());
  };
  check_needs(options.mask_meaning != BooleanMask::unspecified, given(options, Input::mask), "--mask-meaning",
              "--mask");
  check_needs(options.padding_meaning != BooleanMask::unspecified, given(options, Input::key_padding),
              "--key-padding-meaning", "--key-padding");
  for (const Input id : {Input::key, Input::value, Input::cumulative_query_lengths}) needs(id, Input::query);
  needs(Input::key_documents, Input::query_documents);
  needs(Input::cumulative_key_lengths, Input::cumulative_query_lengths);
  check_pair(options, Input::query_lengths, Input::cumulative_query_lengths);
  if (given(options, Input::query_offsets) && options.alignment != CausalAlignment::unspecified) {
    throw UsageError("--query-offsets and a named alignment both place the queries; give one");
  }
}

}  // namespace headwise::tools
