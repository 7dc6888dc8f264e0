// What MultiHeadAttention shares between its copies.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "attend.hpp"
#include "headwise/attention.hpp"
#include "linear.hpp"
#include "rotary_table.hpp"

namespace headwise {

namespace runtime {
// The products that a model may hold. qkv serves calls whose query, key and value are one tensor.
enum class Product { qkv, query, key, value, output };
inline constexpr int product_count = 5;
}  // namespace runtime

struct MultiHeadAttention::Model {
  AttentionConfig config;  // resolved
  const kernels::KernelTable* kernels = nullptr;
  bool projected = true;
  Allocator allocator;  // of packed weights
  double scale = 1;     // config.scale before it was rounded to f32
  std::array<std::optional<projection::Linear>, runtime::product_count> products;
  Tensor output_rows;               // the output weight as it was given, when head contributions may be asked for
  Tensor query_norm, key_norm;      // [head_dim] or not given
  Tensor sinks;                     // [H] or not given
  Tensor extra_keys, extra_values;  // [n, Hkv · size]: bias_key, then zeros; not given when there are none
  Tensor extra_keys_f64, extra_values_f64;  // the same for f64 calls
  std::vector<float> slopes;                // [H] of ALiBi, or empty
  Tensor query_norm_f64, key_norm_f64;
  std::vector<std::vector<double>> relative_f64;
  std::vector<std::vector<float>> relative;  // [H] tables of the T5 bias by distance, see relative_table.hpp; or empty
  RotaryTable rotary;

  std::int64_t num_extra_keys() const { return extra_keys.given() ? extra_keys.shape()[0] : 0; }

  const std::optional<projection::Linear>& product(runtime::Product p) const {
    return products[static_cast<std::size_t>(p)];
  }
};

namespace runtime {
using Model = MultiHeadAttention::Model;
// All of them; null where the model has none.
inline std::array<const projection::Linear*, product_count> products_of(const Model& model) noexcept {
  std::array<const projection::Linear*, product_count> result{};
  for (std::size_t p = 0; p < result.size(); ++p) result[p] = model.products[p] ? &*model.products[p] : nullptr;
  return result;
}
// The table for ModelOptions::isa; throws Error for an unknown name or an ISA that the CPU lacks.
const kernels::KernelTable& choose_kernels(const std::string& isa);
}  // namespace runtime

}  // namespace headwise
