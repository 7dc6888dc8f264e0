// Configs of C as those of C++ and back.
#pragma once

#include "headwise/c/weights.h"
#include "headwise/weights.hpp"

namespace headwise::capi {

AttentionConfig read_config(const char* name, const headwise_config* config);
RotaryConfig read_rotary(const char* name, const headwise_rotary_config* config);
PositionBiasConfig read_bias(const char* name, const headwise_bias_config* config);
RowsWithoutKeys read_empty_rows(headwise_empty_rows rows);
Allocator read_allocator(const headwise_allocator& allocator) noexcept;

// The sizes and the scale of a C++ config, in a struct whose other members stay.
void write_sizes(const AttentionConfig& config, headwise_config& result) noexcept;

// A config that C callers read; it stays where it is, since its parts are pointed to.
class StoredConfig {
 public:
  explicit StoredConfig(const AttentionConfig& config) noexcept;
  StoredConfig(const StoredConfig&) = delete;
  StoredConfig& operator=(const StoredConfig&) = delete;
  const headwise_config& get() const noexcept { return config_; }

 private:
  headwise_rotary_config rotary_{};
  headwise_bias_config bias_{};
  headwise_config config_{};
};

}  // namespace headwise::capi
