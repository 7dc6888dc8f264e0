#include "view_checks.hpp"

#include <algorithm>

#include "views.hpp"

namespace headwise {
namespace {

std::string type_text(DType dtype) {
  const bool known = std::find(all_types.begin(), all_types.end(), dtype) != all_types.end();
  return known ? dtype_name(dtype) : "an unknown type (" + std::to_string(static_cast<int>(dtype)) + ")";
}

std::string list_text(std::initializer_list<DType> types) {
  std::string text;
  for (const DType* type = types.begin(); type != types.end(); ++type) {
    if (type != types.begin()) text += type + 1 == types.end() ? " or " : ", ";
    text += dtype_name(*type);
  }
  return text;
}

void check_type(const char* name, DType dtype, std::initializer_list<DType> types) {
  if (std::find(types.begin(), types.end(), dtype) != types.end()) return;
  refuse(name, "must be " + list_text(types) + ", not " + type_text(dtype));
}

void check_sizes(const char* name, const TensorView& view) {
  if (view.strides.rank() != view.shape.rank()) {
    refuse(name, "has strides " + to_string(view.strides) + " for shape " + to_string(view.shape));
  }
  for (const std::int64_t size : view.shape) {
    if (size < 0) refuse(name, "has shape " + to_string(view.shape) + " with a negative size");
  }
  const std::int64_t elements = element_count(view.shape);
  if (view.data == nullptr && elements > 0) refuse(name, "has no memory: its data is null");
}

std::uint64_t magnitude(std::int64_t stride) noexcept {
  const auto bits = static_cast<std::uint64_t>(stride);
  return stride < 0 ? 0 - bits : bits;
}

// Numbers count · {0 … step}: what one axis adds to an address.
struct Term {
  std::uint64_t step, count;
};

// A handful at most. (g++ 12 warns about array bounds inside std::sort here.)
template <class Before>
void sort_terms(Term* terms, int count, const Before& before) noexcept {
  for (int i = 1; i < count; ++i) {
    for (int j = i; j > 0 && before(terms[j], terms[j - 1]); --j) std::swap(terms[j], terms[j - 1]);
  }
}

// At most the axes of two views and the bytes of their elements.
struct Terms {
  Term term[2 * max_rank + 2];
  int count = 0;
  // Equal steps become one term; otherwise the search below would try all ways to split a number between them.
  void add(std::uint64_t step, std::uint64_t most) noexcept {
    if (step == 0 || most == 0) return;
    for (int i = 0; i < count; ++i) {
      if (term[i].step != step) continue;
      term[i].count += most;
      return;
    }
    term[count++] = {step, most};
  }
  void add_axes(const TensorView& view, std::uint64_t element_size) noexcept {
    for (int axis = 0; axis < view.shape.rank(); ++axis) {
      add(magnitude(view.strides[axis]) * element_size, static_cast<std::uint64_t>(view.shape[axis] - 1));
    }
  }
  void sort_by_step() noexcept {
    sort_terms(term, count, [](const Term& a, const Term& b) { return a.step > b.step; });
  }
  std::uint64_t reach_from(int first) const noexcept {
    std::uint64_t sum = 0;
    for (int i = first; i < count; ++i) sum += term[i].step * term[i].count;
    return sum;
  }
};

// Whether a number is a sum of the terms from `first` on. Each call takes from the budget; when it is spent, yes.
bool is_sum(const Terms& terms, int first, std::uint64_t target, int& budget) noexcept {
  if (target == 0) return true;
  if (target > terms.reach_from(first)) return false;
  if (--budget < 0) return true;
  const Term& term = terms.term[first];
  const std::uint64_t rest = terms.reach_from(first + 1);
  for (std::uint64_t times = std::min(term.count, target / term.step);; --times) {
    const std::uint64_t left = target - times * term.step;
    if (left > rest) return false;
    if (is_sum(terms, first + 1, left, budget)) return true;
    if (times == 0) return false;
  }
}

// Walking the axes from the smallest stride on, each has to step over all that the axes before it reach.
bool elements_are_apart(const TensorView& view) noexcept {
  Term axes[max_rank];
  int count = 0;
  for (int axis = 0; axis < view.shape.rank(); ++axis) {
    const auto most = static_cast<std::uint64_t>(view.shape[axis] - 1);
    if (view.shape[axis] > 1) axes[count++] = {magnitude(view.strides[axis]), most};
  }
  sort_terms(axes, count, [](const Term& a, const Term& b) { return a.step < b.step; });
  std::uint64_t reach = 0;
  for (int i = 0; i < count; ++i) {
    if (axes[i].step <= reach) return false;
    reach += axes[i].step * axes[i].count;
  }
  return true;
}

}  // namespace

void refuse(const std::string& name, const std::string& problem) {
  throw Error(ErrorCode::invalid_argument, name + " " + problem);
}

void require_readable(const char* name, const TensorView& view, std::initializer_list<DType> types) {
  if (!view.given) refuse(name, "is missing");
  check_type(name, view.dtype, types);
  check_sizes(name, view);
  if (reinterpret_cast<std::uintptr_t>(view.data) % dtype_size(view.dtype) != 0) {
    refuse(name, std::string("starts at an address that is no multiple of the size of ") + dtype_name(view.dtype));
  }
  if (!byte_range(view)) {
    refuse(name, "of shape " + to_string(view.shape) + " has strides " + to_string(view.strides) +
                     " that leave the address space");
  }
}

void require_writable(const char* name, const MutableTensorView& view, std::initializer_list<DType> types) {
  require_readable(name, view, types);
  if (element_count(view.shape) > 0 && !elements_are_apart(view)) {
    refuse(name, "has strides " + to_string(view.strides) + " for shape " + to_string(view.shape) +
                     ", so that its elements would overwrite each other");
  }
}

void require_shape(const char* name, const TensorView& view, const Dims& expected) {
  if (view.shape == expected) return;
  refuse(name, "has shape " + to_string(view.shape) + "; expected " + to_string(expected));
}

bool views_overlap(const TensorView& a, const TensorView& b) noexcept {
  const auto range_a = byte_range(a), range_b = byte_range(b);
  if (!range_a || !range_b) return true;
  if (range_a->begin == range_a->end || range_b->begin == range_b->end || !range_a->overlaps(*range_b)) return false;
  constexpr std::uint64_t limit = std::uint64_t{1} << 62;  // sums of two such ranges stay in 64 bits
  if (range_a->end - range_a->begin > limit || range_b->end - range_b->begin > limit) return true;
  // Bytes begin_a + x and begin_b + y are one when x − y = begin_b − begin_a. Counting y down from the end of b makes
  // both sides sums of terms that are not negative.
  Terms terms;
  for (const TensorView& view : {a, b}) {
    const std::uint64_t size = dtype_size(view.dtype);
    terms.add_axes(view, size);
    terms.add(1, size - 1);
  }
  terms.sort_by_step();
  int budget = 10000;  // far above what nested axes need
  return is_sum(terms, 0, range_b->end - 1 - range_a->begin, budget);
}

void require_apart(const char* name, const TensorView& view, const char* other_name, const TensorView& other) {
  if (views_overlap(view, other)) refuse(name, std::string("overlaps ") + other_name + " in memory");
}

bool same_elements(const TensorView& a, const TensorView& b) noexcept {
  if (a.data != b.data || a.dtype != b.dtype || a.shape != b.shape) return false;
  for (int axis = 0; axis < a.shape.rank(); ++axis) {
    if (a.shape[axis] > 1 && a.strides[axis] != b.strides[axis]) return false;
  }
  return true;
}

}  // namespace headwise
