// The layer's projections in double, and the units that errors are measured in.
// B batch, H query heads, Hkv key/value heads, Lq and Lk lengths, d and dv head sizes.
#pragma once

#include <headwise/headwise.hpp>
#include <vector>

#include "layer_job.hpp"

namespace headwise::tools {

// Query, key and value after their projections, computed in double and rounded once: [B, L, heads · size].
struct ProjectedInputs {
  Tensor query, key, value;
};

ProjectedInputs project_inputs(const AttentionInputs& inputs, const AttentionWeights& weights);

// The same memory seen as [B, heads, L, size].
TensorView split_heads(const Tensor& projected, std::int64_t heads);

// Σp|v| for each element of the context [B, H, Lq, dv], with weights [B, H, Lq, Lk]. Keys without weight do not count,
// whatever they hold.
std::vector<double> value_mass(const Tensor& attention, const Tensor& value, const AttentionConfig& config);
// |Wo|·Σp|v| + |bo| for each element of the output [B, Lq, output_dim].
std::vector<double> output_mass(const std::vector<double>& value_mass, const AttentionWeights& weights,
                                const AttentionConfig& config, const CallShape& call);
// The largest scale·Σ|q·k| of a key that has weight.
double score_mass(const ProjectedInputs& projected, const Tensor& attention, const AttentionConfig& config);

// Values of U(−√3, √3), so of variance 1; the same for a seed on every machine.
Tensor random_tensor(const Dims& shape, std::uint64_t seed);

}  // namespace headwise::tools
