// What `headwise run` did, and how it is told.
#pragma once

#include <headwise/headwise.hpp>
#include <string>

#include "layer_job.hpp"
#include "timing.hpp"

namespace headwise::tools {

struct RunOptions : LayerOptions {
  std::string output, attention, average_attention;  // .npy files to write; "" means not wanted
  int repeat = 0;
  bool explain = false;
  bool values = false;
};

struct RunResult {
  LoadedLayer loaded;
  AttentionConfig config;  // resolved
  LayerInputs inputs;
  Tensor output, attention, average_attention;
  Explanation explanation;
  Timing timing;

  double flops() const;
  double gigaflops() const;
};

std::string run_text(const RunResult& result, const RunOptions& options);
std::string run_json(const RunResult& result, const RunOptions& options);

}  // namespace headwise::tools
