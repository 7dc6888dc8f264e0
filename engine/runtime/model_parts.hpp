// What a layer holds beside its four matrices, checked and brought to the form that calls read.
#pragma once

#include "model.hpp"

namespace headwise::runtime {

// Throw Error(invalid_argument) naming the tensor, what is expected and what it is.
void check_matrix(const char* name, const Tensor& tensor, const Dims& expected);
void check_bias(const char* name, const Tensor& bias, std::int64_t size);  // may be missing

// Weights stored as f16 or bf16 become f32; `wide` owns them then. Weights that are f32 already are not copied.
const AttentionWeights& in_f32(const AttentionWeights& weights, AttentionWeights& wide);

// Calls may be f64: the reference kernel, and no projections. Only then are there f64 copies of what layers hold.
bool takes_f64(const Model& model) noexcept;

// Norms, sinks, extra keys, position bias and rotary table of a model whose config is resolved.
void take_score_parts(Model& model, const AttentionWeights& weights);

}  // namespace headwise::runtime
