#include "cut.hpp"

#include <algorithm>

namespace headwise {

std::pair<std::size_t, std::size_t> cut_longest_first(std::size_t text, std::size_t pair, std::size_t room) noexcept {
  if (text + pair <= room) return {text, pair};
  const bool swapped = text > pair;
  std::size_t shorter = std::min(text, pair);
  std::size_t longer = shorter > room ? shorter : std::max(shorter, room - shorter);
  if (shorter + longer > room) {
    shorter = room / 2;
    longer = room - shorter;
  }
  return swapped ? std::pair(longer, shorter) : std::pair(shorter, longer);
}

}  // namespace headwise
