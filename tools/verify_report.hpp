// What `headwise verify` measured, and how it is told.
#pragma once

#include <headwise/headwise.hpp>
#include <string>
#include <vector>

#include "layer_job.hpp"

namespace headwise::tools {

struct VerifyOptions : LayerOptions {
  std::int64_t seed = 1;
};

// The distance of a result from the reference, each element in its own unit eps · mass.
struct Deviation {
  double max_absolute = 0, rms_absolute = 0;
  double max_units = 0, rms_units = 0;
  std::int64_t mismatches = 0;  // one side NaN or infinite, the other not, or of another sign
};

Deviation deviation(const Tensor& actual, const Tensor& expected, const std::vector<double>& mass);

struct VerifyResult {
  LoadedLayer loaded;
  AttentionConfig config;  // resolved
  CallShape call;
  bool random_inputs = false;
  std::string isa;
  Deviation core, layer, attention;
  double score_mass = 0;  // the largest scale·Σ|q·k|

  double limit() const;  // in units, for all three
  bool passed() const;
};

// What the verdict rests on, for people.
std::string failure_text(const VerifyResult& result);
std::string verify_text(const VerifyResult& result, const VerifyOptions& options);
std::string verify_json(const VerifyResult& result, const VerifyOptions& options);

}  // namespace headwise::tools
