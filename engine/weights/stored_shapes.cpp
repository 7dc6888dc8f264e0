#include "stored_shapes.hpp"

#include <algorithm>

namespace headwise {
namespace {

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

// [H, d, out], where all others are [in, H, d].
bool is_output(std::string_view role) {
  return role == "output_weight";
}

}  // namespace

bool is_matrix(std::string_view role) {
  return ends_with(role, "_weight");
}

bool is_head_bias(std::string_view role) {
  return role == "query_bias" || role == "key_bias" || role == "value_bias";
}

std::optional<Shape> canonical_matrix(const Form& form, std::string_view role, const Shape& stored) {
  if (std::find(stored.begin(), stored.end(), 0u) != stored.end()) return std::nullopt;
  const bool apart = form.heads_apart && stored.size() == 3;
  if (stored.size() != 2 && !apart) return std::nullopt;
  if (form.axes == Axes::out_in) return stored;
  if (!apart) return Shape{stored[1], stored[0]};
  return is_output(role) ? Shape{stored[2], stored[0] * stored[1]} : Shape{stored[1] * stored[2], stored[0]};
}

std::uint64_t heads_apart(const Form& form, std::string_view role, const Shape& stored) {
  if (!form.heads_apart || stored.size() != 3) return 0;
  return stored[is_output(role) ? 0 : 1];
}

Shape stored_shape(const Form& form, std::string_view role, const Shape& canonical, std::size_t rank,
                   std::uint64_t heads) {
  const bool apart = form.heads_apart && rank == canonical.size() + 1;
  if (is_head_bias(role)) return apart ? Shape{heads, canonical[0] / heads} : canonical;
  if (!is_matrix(role) || form.axes == Axes::out_in) return canonical;
  const std::uint64_t out = canonical[0], in = canonical[1];
  if (!apart) return {in, out};
  return is_output(role) ? Shape{heads, in / heads, out} : Shape{in, heads, out / heads};
}

}  // namespace headwise
