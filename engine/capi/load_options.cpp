#include "load_options.hpp"

#include "config.hpp"
#include "structs.hpp"

namespace headwise::capi {
namespace {

std::optional<float> optional_number(const float* number) {
  return number == nullptr ? std::nullopt : std::optional<float>(*number);
}

void read_score_options(const headwise_load_options& c, LoadOptions& result) {
  result.scale = optional_number(c.scale);
  result.softcap = optional_number(c.softcap);
  if (c.rows_without_keys != nullptr) result.rows_without_keys = read_empty_rows(*c.rows_without_keys);
  result.add_zero_attention = read_flag("add_zero_attention", c.add_zero_attention);
  result.norm_epsilon = optional_number(c.norm_epsilon);
  if (c.norm_plus_one != nullptr) result.norm_plus_one = read_flag("norm_plus_one", *c.norm_plus_one);
  if (c.rotary != nullptr) result.rotary = read_rotary("rotary", c.rotary);
  if (c.position_bias != nullptr) result.position_bias = read_bias("position_bias", c.position_bias);
}

}  // namespace

std::function<void(std::uint64_t, std::uint64_t)> read_progress(headwise_progress progress, void* user) {
  if (progress == nullptr) return {};
  return [=](std::uint64_t done, std::uint64_t total) { progress(done, total, user); };
}

OpenOptions read_open_options(const headwise_open_options* options) {
  const auto c = read_options(options);
  return {read_flag("allow_trailing_bytes", c.allow_trailing_bytes), read_progress(c.progress, c.progress_user)};
}

LoadOptions read_load_options(const headwise_load_options* options) {
  const auto c = read_options(options);
  LoadOptions result;
  result.layer = c.layer;
  result.num_heads = c.num_heads;
  result.prefix = read_optional_text(c.prefix);
  result.family = read_optional_text(c.family);
  result.allow_missing_bias = read_flag("allow_missing_bias", c.allow_missing_bias);
  result.use_model_config = !read_flag("ignore_model_config", c.ignore_model_config);
  read_score_options(c, result);
  const auto kept = read_list("keep_heads", c.keep_heads, c.num_keep_heads);
  result.keep_heads.assign(kept.begin(), kept.end());
  result.open = read_open_options(c.open);
  result.name_map = read_optional_text(c.name_map);
  result.stored_check = read_enum("stored_check", c.stored_check, StoredCheck::off);
  return result;
}

}  // namespace headwise::capi
