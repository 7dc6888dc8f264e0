#include "named_views.hpp"

#include <algorithm>

#include "convert.hpp"
#include "text.hpp"

namespace headwise {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& problem) {
  throw Error(ErrorCode::invalid_argument, in_quotes(path) + ": " + problem);
}

}  // namespace

std::vector<const NamedView*> sorted_views(const std::vector<NamedView>& tensors, const std::string& path) {
  std::vector<const NamedView*> order;
  for (const NamedView& view : tensors) {
    check_view(view.tensor, "save");
    if (!is_utf8(view.name)) refuse(path, "the name " + in_quotes(view.name) + " is no UTF-8");
    order.push_back(&view);
  }
  std::sort(order.begin(), order.end(), [](auto* a, auto* b) { return a->name < b->name; });
  const auto same = [](auto* a, auto* b) { return a->name == b->name; };
  const auto twice = std::adjacent_find(order.begin(), order.end(), same);
  if (twice != order.end()) refuse(path, "two tensors are called " + in_quotes((*twice)->name));
  return order;
}

}  // namespace headwise
