// One strict JSON object on stdout: valid UTF-8, floats that read back as the same bits, null for NaN and infinity.
#pragma once

#include <headwise/headwise.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace headwise::tools {

using Json = nlohmann::ordered_json;

Json json_number(float value);
Json json_number(double value);
Json json_text(std::string_view text);
// A text that a tokenizer reads: what is no UTF-8 is U+FFFD, as it is there.
Json json_read_text(std::string_view text);
Json json_shape(const Dims& shape);
// Every element in row-major order; values that JSON cannot hold become null.
Json json_values(const Tensor& tensor);

// The whole object on one line.
std::string json_line(const Json& object);

}  // namespace headwise::tools
