#include "json_output.hpp"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "text.hpp"

namespace headwise::tools {
namespace {

template <class T>
Json json_array(const Tensor& tensor) {
  const auto* data = static_cast<const T*>(tensor.view().data);
  Json array = Json::array();
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    if constexpr (std::is_floating_point_v<T>) {
      array.push_back(json_number(data[i]));
    } else {
      array.push_back(data[i]);
    }
  }
  return array;
}

}  // namespace

// The double nearest to the shortest decimal form of a float prints as that form again: 0.1, not 0.10000000149011612.
Json json_number(float value) {
  if (!std::isfinite(value)) return nullptr;
  const std::string digits = shortest(value);
  double wide = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), wide);
  return wide;
}

Json json_number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json json_text(std::string_view text) {
  return valid_utf8(text);
}

Json json_read_text(std::string_view text) {
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace));
}

Json json_shape(const Dims& shape) {
  return std::vector<std::int64_t>(shape.begin(), shape.end());
}

Json json_values(const Tensor& tensor) {
  switch (tensor.dtype()) {
    case DType::f64:
      return json_array<double>(tensor);
    case DType::boolean:
      return json_array<bool>(tensor);
    case DType::f32:
      return json_array<float>(tensor);
    case DType::f16:
    case DType::bf16:
      return json_array<float>(convert(tensor, DType::f32));
    case DType::u64:
      return json_array<std::uint64_t>(tensor);
    default:
      return json_array<std::int64_t>(convert(tensor, DType::i64));
  }
}

std::string json_line(const Json& object) {
  return object.dump() + "\n";
}

}  // namespace headwise::tools
