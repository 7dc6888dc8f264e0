#include <cmath>

#include "checked.hpp"
#include "headwise/weights.hpp"
#include "number_text.hpp"
#include "out_of_memory.hpp"
#include "position_checks.hpp"

namespace headwise {
namespace {

[[noreturn]] void refuse(const std::string& problem) {
  throw Error(ErrorCode::invalid_argument, problem);
}

void refuse_negative(const AttentionConfig& config) {
  const std::pair<const char*, std::int64_t> sizes[] = {{"model_dim", config.model_dim},
                                                        {"num_heads", config.num_heads},
                                                        {"num_kv_heads", config.num_kv_heads},
                                                        {"head_dim", config.head_dim},
                                                        {"value_dim", config.value_dim},
                                                        {"key_input_dim", config.key_input_dim},
                                                        {"value_input_dim", config.value_input_dim},
                                                        {"output_dim", config.output_dim}};
  for (const auto& [name, size] : sizes) {
    if (size < 0) refuse(std::string(name) + " is negative: " + std::to_string(size));
  }
}

void fill(std::int64_t& size, std::int64_t derived) {
  if (size == 0) size = derived;
}

std::int64_t width(std::int64_t heads, std::int64_t size, const char* name) {
  const auto product = checked_multiply(heads, size);
  if (!product) refuse(std::string("num_heads times ") + name + " overflows");
  return *product;
}

std::int64_t derived_head_dim(const AttentionConfig& config) {
  if (config.model_dim == 0) refuse("neither model_dim nor head_dim is given");
  if (config.model_dim % config.num_heads != 0) {
    refuse("model_dim " + std::to_string(config.model_dim) + " is not divisible by num_heads " +
           std::to_string(config.num_heads) + "; give head_dim if that is meant");
  }
  return config.model_dim / config.num_heads;
}

void check_groups(const AttentionConfig& config) {
  if (config.num_heads % config.num_kv_heads == 0) return;
  refuse("num_heads " + std::to_string(config.num_heads) + " is not divisible by num_kv_heads " +
         std::to_string(config.num_kv_heads));
}

template <class Number>
void need_positive(const char* name, Number value) {
  if (!std::isfinite(static_cast<double>(value)) || value <= 0) {
    refuse(std::string(name) + " is no finite number above zero: " + number_text(value));
  }
}

void check_scores(const AttentionConfig& config) {
  const RowsWithoutKeys rows = config.rows_without_keys;
  if (rows < RowsWithoutKeys::zero || rows > RowsWithoutKeys::unspecified) {
    refuse("rows_without_keys is no value of its type: " + std::to_string(static_cast<int>(rows)));
  }
  if (config.scale && !std::isfinite(*config.scale)) refuse("scale is not finite");
  if (!std::isfinite(config.softcap) || config.softcap < 0) {
    refuse("softcap is negative or not finite: " + number_text(config.softcap));
  }
  need_positive("norm_epsilon", config.norm_epsilon);
}

}  // namespace

AttentionConfig resolve(const AttentionConfig& config) try {
  refuse_negative(config);
  if (config.num_heads == 0) refuse("num_heads is not given");
  check_scores(config);
  AttentionConfig result = config;
  fill(result.num_kv_heads, result.num_heads);
  check_groups(result);
  if (result.head_dim == 0) result.head_dim = derived_head_dim(result);
  fill(result.value_dim, result.head_dim);
  const std::int64_t query_width = width(result.num_heads, result.head_dim, "head_dim");
  width(result.num_heads, result.value_dim, "value_dim");
  fill(result.model_dim, query_width);
  for (auto* size : {&result.key_input_dim, &result.value_input_dim, &result.output_dim}) fill(*size, result.model_dim);
  check_rotary(result.rotary, result.head_dim);
  check_position_bias(result.position_bias);
  if (result.rows_without_keys == RowsWithoutKeys::unspecified) result.rows_without_keys = RowsWithoutKeys::zero;
  if (!result.scale) result.scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(result.head_dim)));
  return result;
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory to refuse a config");
}

}  // namespace headwise
