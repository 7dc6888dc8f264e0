// From the shape of a stored tensor to the canonical one and back. A matrix is canonical as [out, in].
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "layouts.hpp"

namespace headwise {

using Shape = std::vector<std::uint64_t>;

bool is_matrix(std::string_view role);  // all others are vectors, in whatever shape they are stored

bool is_head_bias(std::string_view role);  // of query, key or value alone

// The canonical shape of a matrix; nullopt when its rank or an empty axis makes it none. Sizes come from a tensor that
// is in a file, so their products do not overflow.
std::optional<Shape> canonical_matrix(const Form& form, std::string_view role, const Shape& stored);
// The heads that a matrix stored with heads as an axis of their own has, else 0.
std::uint64_t heads_apart(const Form& form, std::string_view role, const Shape& stored);
// How a canonical shape is stored with this many axes; heads: those of the part, where they are an axis of their own.
Shape stored_shape(const Form& form, std::string_view role, const Shape& canonical, std::size_t rank,
                   std::uint64_t heads);

}  // namespace headwise
