// Sizes of what is measured, in the form that the command line and shape files share: "8x128x768x12:kv=4".
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace headwise::tools {

// The message says what is wrong with the text, and not where it stood.
struct ShapeError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct BenchShape {
  std::int64_t batch = 1, length = 1;
  std::int64_t width = 0, heads = 0;  // both 0: those of a weight file
  std::int64_t kv_heads = 0;          // 0: as many as heads
  std::int64_t head_dim = 0;          // 0: width / heads
  std::int64_t keys = 0;              // 0: length

  bool of_file() const { return width == 0; }
  std::int64_t key_length() const { return keys > 0 ? keys : length; }
  friend bool operator==(const BenchShape&, const BenchShape&) = default;
};

inline constexpr std::int64_t largest_size = std::int64_t{1} << 24;

// BATCHxLENGTH or BATCHxLENGTHxWIDTHxHEADS, then parts ":kv=N", ":d=N", ":keys=N". Throws ShapeError.
BenchShape parse_shape(const std::string& text);
std::string to_text(const BenchShape& shape);

}  // namespace headwise::tools
