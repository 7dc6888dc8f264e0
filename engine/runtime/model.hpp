// What MultiHeadAttention shares between its copies.
#pragma once

#include <array>
#include <optional>

#include "attend.hpp"
#include "headwise/attention.hpp"
#include "linear.hpp"

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
  std::array<std::optional<projection::Linear>, runtime::product_count> products;

  const std::optional<projection::Linear>& product(runtime::Product p) const {
    return products[static_cast<std::size_t>(p)];
  }
};

namespace runtime {
using Model = MultiHeadAttention::Model;
// The table for ModelOptions::isa; throws Error for an unknown name or an ISA that the CPU lacks.
const kernels::KernelTable& choose_kernels(const std::string& isa);
}  // namespace runtime

}  // namespace headwise
