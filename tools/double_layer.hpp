// A layer in double, written as its definition reads: what verify compares with. Beside each number stands its mass,
// the sum of the magnitudes that were added up to make it, which is what rounding errors are measured in. B batch, H
// query heads, Hkv key/value heads, Lq and Lk lengths, d and dv head sizes.
#pragma once

#include <headwise/headwise.hpp>
#include <vector>

#include "call_shape.hpp"

namespace headwise::tools {

// [B, heads, L, size]
struct HeadRows {
  std::int64_t batch = 0, heads = 0, length = 0, size = 0;
  std::vector<double> value, mass;

  HeadRows() = default;
  HeadRows(std::int64_t batch, std::int64_t heads, std::int64_t length, std::int64_t size);
  std::size_t at(std::int64_t b, std::int64_t h, std::int64_t i) const {
    return static_cast<std::size_t>(((b * heads + h) * length + i) * size);
  }
};

struct DoubleInputs {
  HeadRows query, key, value;
};

// Query, key and value after their projections.
DoubleInputs project_inputs(const AttentionInputs& inputs, const AttentionWeights& weights);
// The same after rounding to f32, as a call without projections takes them; the mass is the magnitude.
DoubleInputs rounded(const DoubleInputs& exact);
Tensor to_tensor(const HeadRows& rows);  // f32 [B, heads, L, size]
// y = Wo·context + bo, [B, 1, Lq, output_dim]; rows past the query lengths are zeros.
HeadRows project_output(const HeadRows& context, const AttentionWeights& weights, const AttentionInputs& inputs);

// Norms and rotary embedding, in place. positions: [B, L].
void position_rows(HeadRows& rows, const Tensor& norm, const AttentionConfig& config,
                   const std::vector<std::int64_t>& positions);

struct DoubleAttention {
  HeadRows context;             // [B, H, Lq, dv]; mass: Σp·mass of v
  std::vector<double> weights;  // [B, H, Lq, keys and those that the layer adds]
  double score_mass = 0;        // the largest scale·Σ|q·k| (+ |bias|) of a key that has weight
};

DoubleAttention attend(DoubleInputs projected, const AttentionInputs& inputs, const AttentionWeights& weights);

// Values of U(−√3, √3), so of variance 1; the same for a seed on every machine.
Tensor random_tensor(const Dims& shape, std::uint64_t seed);

}  // namespace headwise::tools
