#include "config.hpp"

#include "boundary.hpp"
#include "structs.hpp"

namespace headwise::capi {
namespace {

headwise_rotary_config c_rotary(const RotaryConfig& r) noexcept {
  return {sizeof(headwise_rotary_config),
          r.dim,
          static_cast<headwise_rotary_layout>(r.layout),
          static_cast<headwise_rotary_scaling>(r.scaling),
          r.base,
          r.factor,
          r.original_positions,
          r.low_frequency_factor,
          r.high_frequency_factor,
          r.beta_fast,
          r.beta_slow,
          r.attention_factor};
}

headwise_bias_config c_bias(const PositionBiasConfig& b) noexcept {
  return {sizeof(headwise_bias_config),
          static_cast<headwise_position_bias>(b.kind),
          static_cast<headwise_alibi_scheme>(b.slopes),
          b.alibi_max,
          b.bidirectional ? 0 : 1,
          b.max_distance};
}

void read_sizes(const headwise_config& c, AttentionConfig& result) noexcept {
  result.model_dim = c.model_dim;
  result.num_heads = c.num_heads;
  result.num_kv_heads = c.num_kv_heads;
  result.head_dim = c.head_dim;
  result.value_dim = c.value_dim;
  result.key_input_dim = c.key_input_dim;
  result.value_input_dim = c.value_input_dim;
  result.output_dim = c.output_dim;
}

}  // namespace

RotaryConfig read_rotary(const char* name, const headwise_rotary_config* config) {
  const auto c = read_struct(name, config);
  RotaryConfig result;
  result.dim = c.dim;
  result.layout = read_enum("rotary layout", c.layout, RotaryLayout::interleaved);
  result.scaling = read_enum("rotary scaling", c.scaling, RotaryScaling::llama3);
  result.base = or_default(c.base, result.base);
  result.factor = or_default(c.factor, result.factor);
  result.original_positions = c.original_positions;
  result.low_frequency_factor = or_default(c.low_frequency_factor, result.low_frequency_factor);
  result.high_frequency_factor = or_default(c.high_frequency_factor, result.high_frequency_factor);
  result.beta_fast = or_default(c.beta_fast, result.beta_fast);
  result.beta_slow = or_default(c.beta_slow, result.beta_slow);
  result.attention_factor = c.attention_factor;
  return result;
}

PositionBiasConfig read_bias(const char* name, const headwise_bias_config* config) {
  const auto c = read_struct(name, config);
  PositionBiasConfig result;
  result.kind = read_enum("position bias kind", c.kind, PositionBias::t5);
  result.slopes = read_enum("ALiBi slopes", c.slopes, AlibiSlopes::geometric);
  result.alibi_max = or_default(c.alibi_max, result.alibi_max);
  result.bidirectional = !read_flag("unidirectional", c.unidirectional);
  result.max_distance = or_default(c.max_distance, result.max_distance);
  return result;
}

RowsWithoutKeys read_empty_rows(headwise_empty_rows rows) {
  return read_enum("rows_without_keys", rows, RowsWithoutKeys::nan);
}

Allocator read_allocator(const headwise_allocator& allocator) noexcept {
  return {allocator.allocate, allocator.release, allocator.user};
}

AttentionConfig read_config(const char* name, const headwise_config* config) {
  const auto c = read_struct(name, config);
  AttentionConfig result;
  read_sizes(c, result);
  if (read_flag("has_scale", c.has_scale)) result.scale = c.scale;
  result.rows_without_keys = read_empty_rows(c.rows_without_keys);
  result.softcap = c.softcap;
  result.add_zero_attention = read_flag("add_zero_attention", c.add_zero_attention);
  result.norm_epsilon = or_default(c.norm_epsilon, result.norm_epsilon);
  if (c.rotary != nullptr) result.rotary = read_rotary("rotary", c.rotary);
  if (c.position_bias != nullptr) result.position_bias = read_bias("position_bias", c.position_bias);
  return result;
}

void write_sizes(const AttentionConfig& config, headwise_config& result) noexcept {
  result.model_dim = config.model_dim;
  result.num_heads = config.num_heads;
  result.num_kv_heads = config.num_kv_heads;
  result.head_dim = config.head_dim;
  result.value_dim = config.value_dim;
  result.key_input_dim = config.key_input_dim;
  result.value_input_dim = config.value_input_dim;
  result.output_dim = config.output_dim;
  result.has_scale = config.scale ? 1 : 0;
  result.scale = config.scale.value_or(0);
}

StoredConfig::StoredConfig(const AttentionConfig& config) noexcept
    : rotary_(c_rotary(config.rotary)), bias_(c_bias(config.position_bias)) {
  config_.struct_size = sizeof config_;
  write_sizes(config, config_);
  config_.rows_without_keys = static_cast<headwise_empty_rows>(config.rows_without_keys);
  config_.softcap = config.softcap;
  config_.add_zero_attention = config.add_zero_attention ? 1 : 0;
  config_.norm_epsilon = config.norm_epsilon;
  if (config.rotary.dim != 0) config_.rotary = &rotary_;
  if (config.position_bias.kind != PositionBias::none) config_.position_bias = &bias_;
}

}  // namespace headwise::capi

using namespace headwise::capi;

headwise_status headwise_resolve_config(headwise_config* config) {
  return guard([&] {
    auto result = read_struct("config", config);
    write_sizes(headwise::resolve(read_config("config", config)), result);
    write_struct("config", config, result);
  });
}
