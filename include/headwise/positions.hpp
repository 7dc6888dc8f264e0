// How positions enter attention: rotary embedding (RoPE), ALiBi and T5 relative position bias.
#pragma once

#include <cstdint>
#include <vector>

#include "headwise/tensor.hpp"

namespace headwise {

// Which components of a head are turned together.
enum class RotaryLayout {
  half_split,   // i and i + dim/2 (Hugging Face files, GPT-NeoX)
  interleaved,  // 2i and 2i + 1 (the original paper, Meta's own files, GPT-J)
};

enum class RotaryScaling {
  none,
  linear,  // positions divided by factor (Chen et al. 2023)
  ntk,     // base · factor^(dim / (dim − 2)) ("NTK-aware")
  yarn,    // blends both by wavelength and scales the magnitude (Peng et al. 2023)
  llama3,  // long wavelengths divided by factor, short ones kept, smooth in between (Llama 3.1)
};

// Rotary position embedding (Su et al. 2021) of queries and keys; component pair i turns by position · base^(−2i/dim).
struct RotaryConfig {
  std::int64_t dim = 0;  // leading components of each head that turn: even, ≤ head_dim; 0: no rotary embedding
  RotaryLayout layout = RotaryLayout::half_split;
  double base = 10000;
  RotaryScaling scaling = RotaryScaling::none;
  double factor = 1;                    // of every scaling
  std::int64_t original_positions = 0;  // yarn, llama3: the length that the model was trained with
  double low_frequency_factor = 1, high_frequency_factor = 4;  // llama3
  double beta_fast = 32, beta_slow = 1;                        // yarn: turns at which the blend starts and ends
  double attention_factor = 0;                                 // yarn: of the magnitude; 0: 0.1·ln(factor) + 1
};

// The angle of one position step for each of the dim/2 pairs, after scaling. Throws Error(invalid_argument).
HEADWISE_API std::vector<double> rotary_frequencies(const RotaryConfig& config);
// What cos and sin are multiplied by: 1 but for yarn.
HEADWISE_API double rotary_magnitude(const RotaryConfig& config);

struct RotaryInputs {
  TensorView input{};         // f32, f16, bf16 or f64 [B, H, L, d]; any strides
  TensorView cos{}, sin{};    // floats [positions, dim/2] looked up by position_ids, or [B, L, dim/2] without them
  TensorView position_ids{};  // i32 or i64 [B, L] or [L]
  RotaryLayout layout = RotaryLayout::half_split;
};
// Turns the first dim components of every row and copies the others. output: shape and dtype of the input; it may be
// the input itself, but not overlap it otherwise. Arithmetic is in double, rounded once. Throws
// Error(invalid_argument) before anything is written.
HEADWISE_API void apply_rotary(const RotaryInputs& inputs, const MutableTensorView& output);

enum class PositionBias {
  none,
  alibi,  // −slope · |distance| (Press et al. 2021)
  t5,     // a learned number for each bucket of distances and head (Raffel et al. 2019)
};

// Slopes for head counts that are no power of two; for powers of two both are the same geometric sequence.
enum class AlibiSlopes {
  interleaved,  // those of the power of two below, then every second one of its double (the paper's code, BLOOM, ggml);
                // MPT's rule, which starts from the power above, gives the same numbers
  geometric,    // 2^(−alibi_max · (h + 1) / H) for any H
};

struct PositionBiasConfig {
  PositionBias kind = PositionBias::none;
  AlibiSlopes slopes = AlibiSlopes::interleaved;
  double alibi_max = 8;             // slopes reach 2^−alibi_max
  bool bidirectional = true;        // t5: half of the buckets for keys after the query
  std::int64_t max_distance = 128;  // t5: farther keys share the last bucket
};

HEADWISE_API std::vector<float> alibi_slopes(std::int64_t num_heads, AlibiSlopes scheme = AlibiSlopes::interleaved,
                                             double max = 8);
// The bucket of a key that stands `distance` = key position − query position away.
HEADWISE_API std::int64_t t5_bucket(std::int64_t distance, std::int64_t num_buckets, const PositionBiasConfig& config);

}  // namespace headwise
