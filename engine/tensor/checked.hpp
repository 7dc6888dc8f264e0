// Size arithmetic that says when it overflows. Every size that comes from a file or from a caller goes through here.
#pragma once

#include <optional>

namespace headwise {

// nullopt when the exact result does not fit into T.
template <class T>
[[nodiscard]] std::optional<T> checked_multiply(T a, T b) noexcept {
  T result{};
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

template <class T>
[[nodiscard]] std::optional<T> checked_add(T a, T b) noexcept {
  T result{};
  if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
  return result;
}

}  // namespace headwise
