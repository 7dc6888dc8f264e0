// The options that run, explain and verify share: which layer, on which inputs, how it is run.
#pragma once

#include <headwise/headwise.hpp>
#include <string>
#include <utility>
#include <vector>

#include "console.hpp"
#include "input_table.hpp"

namespace CLI {
class App;
}

namespace headwise::tools {

// A cache that the sequence is fed through token by token; capacity 0: none.
struct CacheOptions {
  std::int64_t capacity = 0;
  DType dtype = DType::f32;
  bool circular = false;
};

// One layer of a weight file.
struct LayerChoice {
  CommonOptions common;
  std::string file;
  LoadOptions load;
};

struct LayerOptions : LayerChoice {
  ModelOptions model;
  SessionOptions session;

  PerInput<std::string> inputs;                         // .npy files or lists; "" means not given
  DType dtype = DType::f32;                             // of query, key, value and output
  BooleanMask mask_meaning = BooleanMask::unspecified;  // of a boolean mask
  BooleanMask padding_meaning = BooleanMask::unspecified;
  bool causal = false;
  CausalAlignment alignment = CausalAlignment::unspecified;
  AttentionWindow window;
  CacheOptions cache;

  bool given(Input id) const { return !inputs[id].empty(); }
};

// Which layer, and its inputs; then masks, positions, heads, scores, cache and how to run. What a command adds stands
// between or behind them in its help. The caller keeps `options` alive until the command line is parsed.
void add_layer_options(CLI::App& app, LayerOptions& options);
void add_call_options(CLI::App& app, LayerOptions& options);

// Parts of them, each a topic of its own.
inline constexpr auto weight_file_help = "Weight file: .safetensors, its index .json, .npz or the model's folder";
inline constexpr auto layer_choice_group = "Which layer";
inline constexpr auto families_advice = "'headwise inspect --families' shows them";
void add_layer_choice(CLI::App& app, LoadOptions& load);
void add_layout_choice(CLI::App& app, LoadOptions& load);     // its part that says how layers are stored
void add_heads(CLI::App& app, LoadOptions& load);             // and how many heads they have
void add_score_options(CLI::App& app, LoadOptions& load);     // what is done to scores and positions, for good
void add_mask_options(CLI::App& app, LayerOptions& options);  // masks and positions of this call
// The files of one group of input_files().
void add_input_options(CLI::App& app, PerInput<std::string>& files, std::string_view group);

// "auto" and the name of every ISA, each with itself as its value.
std::vector<std::pair<std::string, std::string>> isa_choices();
// The ISA that will run; throws CommandError when it does not exist or this CPU lacks it.
std::string checked_isa(const std::string& isa);
// Throws UsageError for options that say nothing without another one, or that exclude each other.
void check_combinations(const LayerOptions& options);
// Throws UsageError: "--key says nothing without --query".
void check_needs(bool given, bool other, const std::string& name, const std::string& other_name);

}  // namespace headwise::tools
