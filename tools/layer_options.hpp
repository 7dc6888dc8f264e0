// The options that run and verify share: which layer, on which inputs, how it is run.
#pragma once

#include <headwise/headwise.hpp>
#include <string>

#include "console.hpp"

namespace CLI {
class App;
}

namespace headwise::tools {

struct LayerOptions {
  CommonOptions common;
  std::string file;
  LoadOptions load;
  ModelOptions model;
  SessionOptions session;

  std::string query, key, value;                        // .npy files; "" means not given
  std::string mask, key_padding;                        // .npy files
  BooleanMask mask_meaning = BooleanMask::unspecified;  // of a boolean mask
  BooleanMask padding_meaning = BooleanMask::unspecified;
  std::string key_lengths;  // a .npy file, or "3,5,2"
  bool causal = false;
  CausalAlignment causal_alignment = CausalAlignment::unspecified;
};

// The caller keeps `options` alive until the command line is parsed.
void add_layer_options(CLI::App& app, LayerOptions& options);
// The ISA that will run; throws CommandError when it does not exist or this CPU lacks it.
std::string checked_isa(const std::string& isa);
// Throws UsageError for options that say nothing without another one.
void check_combinations(const LayerOptions& options);

}  // namespace headwise::tools
