// What `headwise verify` measured, and how it is told.
#pragma once

#include <headwise/headwise.hpp>
#include <optional>
#include <string>
#include <vector>

#include "call_shape.hpp"
#include "layer_job.hpp"

namespace headwise::tools {

struct VerifyOptions : LayerOptions {
  std::int64_t seed = 1;
};

// The distance of a result from the expected one, each element in its own unit epsilon · mass.
struct Deviation {
  double max_absolute = 0, rms_absolute = 0;
  double max_units = 0, rms_units = 0;
  std::int64_t mismatches = 0;  // one side NaN or infinite, the other not, or of another sign
};

Deviation deviation(const Tensor& actual, const std::vector<double>& expected, const std::vector<double>& mass,
                    double epsilon);
double epsilon_of(DType dtype);      // 2^-23, 2^-10 or 2^-7
double limit_of(double score_mass);  // in units

struct VerifyResult {
  LoadedLayer loaded;
  LayerInputs inputs;
  CallShape call;
  bool random_inputs = false;
  std::string isa;
  Deviation core, layer, attention;
  std::optional<Deviation> cache;
  double core_limit = 0, layer_limit = 0;

  bool passed() const;
};

// What the verdict rests on, for people.
std::string failure_text(const VerifyResult& result);
std::string verify_text(const VerifyResult& result, const VerifyOptions& options);
std::string verify_json(const VerifyResult& result, const VerifyOptions& options);

}  // namespace headwise::tools
