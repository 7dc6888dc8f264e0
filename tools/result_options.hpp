// What run is asked to write, and explain to tell about.
#pragma once

#include <headwise/headwise.hpp>
#include <string>

#include "layer_options.hpp"
#include "output_table.hpp"

namespace headwise::tools {

struct ResultOptions : LayerOptions {
  PerOutput<std::string> outputs;  // .npy files to write; "" means not wanted
  ScoreStage stage = ScoreStage::scaled;
  std::int64_t top = 0;

  bool wants(Output id) const { return !outputs[id].empty(); }
  // The option whose array goes to standard output, where no report can stand then; "" for none.
  std::string on_standard_output() const;
};

void add_result_options(CLI::App& app, ResultOptions& options);
// Those of the layer, and those about results. Throws UsageError.
void check_results(const CLI::App& app, const ResultOptions& options);
// No target may be another one, a file that is read, or anything but a .npy file to be. Throws UsageError.
void check_targets(const ResultOptions& options);

}  // namespace headwise::tools
