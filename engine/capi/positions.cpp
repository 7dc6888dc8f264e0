#include <algorithm>

#include "boundary.hpp"
#include "c_views.hpp"
#include "config.hpp"
#include "handles.hpp"
#include "structs.hpp"

using namespace headwise::capi;

namespace {

// Numbers of a result into the caller's array of `count`.
template <class T>
void write_list(const char* name, const std::vector<T>& numbers, int64_t count, T* to) {
  if (count < count_of(numbers)) {
    refuse(name, "has room for " + std::to_string(count) + " numbers; expected " + std::to_string(numbers.size()));
  }
  std::copy(numbers.begin(), numbers.end(), &deref(name, to));
}

}  // namespace

headwise_status headwise_rotary_frequencies(const headwise_rotary_config* config, int64_t count, double* frequencies) {
  return guard([&] {
    write_list("frequencies", headwise::rotary_frequencies(read_rotary("config", config)), count, frequencies);
  });
}

headwise_status headwise_rotary_magnitude(const headwise_rotary_config* config, double* magnitude) {
  return guard([&] { deref("magnitude", magnitude) = headwise::rotary_magnitude(read_rotary("config", config)); });
}

headwise_status headwise_apply_rotary(const headwise_rotary_inputs* inputs, const headwise_mutable_view* output) {
  return guard([&] {
    const auto c = read_struct("inputs", inputs);
    const auto layout = read_enum("rotary layout", c.layout, headwise::RotaryLayout::interleaved);
    headwise::apply_rotary({read_view("input", &deref("input", c.input)), read_view("cos", c.cos),
                            read_view("sin", c.sin), read_view("position_ids", c.position_ids), layout},
                           read_view("output", &deref("output", output)));
  });
}

headwise_status headwise_alibi_slopes(int64_t num_heads, headwise_alibi_scheme scheme, double max, int64_t count,
                                      float* slopes) {
  return guard([&] {
    const auto kind = read_enum("scheme", scheme, headwise::AlibiSlopes::geometric);
    write_list("slopes", headwise::alibi_slopes(num_heads, kind, or_default(max, 8.0)), count, slopes);
  });
}

headwise_status headwise_t5_bucket(int64_t distance, int64_t num_buckets, const headwise_bias_config* config,
                                   int64_t* bucket) {
  return guard(
      [&] { deref("bucket", bucket) = headwise::t5_bucket(distance, num_buckets, read_bias("config", config)); });
}
