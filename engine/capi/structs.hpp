// What comes over the boundary beside tensors, each checked with the name of its argument: structs that begin with
// their own size, pointers, flags, enumerations, texts, places in lists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "headwise/c/status.h"
#include "headwise/error.hpp"

namespace headwise::capi {

// Throws Error(invalid_argument): "<name> <problem>".
[[noreturn]] void refuse(const char* name, const std::string& problem);

// What a function of the caller's returned, where anything but 0 says that it failed: throws Error(io).
[[noreturn]] void refuse_failure(const std::string& who, std::int64_t result);

// The size of a struct in the first version that had it: no caller can have a smaller one. A struct that grows keeps
// its old size here.
template <class T>
inline constexpr std::size_t first_size = sizeof(T);

void read_bytes(const char* name, const void* given, std::size_t first, std::size_t known, void* result);
void write_bytes(const char* name, void* given, std::size_t first, std::size_t known, const void* result);

template <class T>
T& deref(const char* name, T* pointer) {
  if (pointer == nullptr) refuse(name, "is NULL");
  return *pointer;
}

// The caller's struct in the size of this library.
template <class T>
T read_struct(const char* name, const T* given) {
  T result{};
  read_bytes(name, &deref(name, given), first_size<T>, sizeof(T), &result);
  return result;
}
// NULL stands for all defaults.
template <class T>
T read_options(const T* given) {
  return given == nullptr ? T{} : read_struct("options", given);
}
// As much of a result as the caller's struct takes; its size stays his.
template <class T>
void write_struct(const char* name, T* given, const T& result) {
  write_bytes(name, &deref(name, given), first_size<T>, sizeof(T), &result);
}

bool read_flag(const char* name, std::int32_t value);
void check_range(const char* name, std::int64_t value, std::int64_t count);
// An enumeration whose values are 0 to last in both languages.
template <class E>
E read_enum(const char* name, std::int32_t value, E last) {
  check_range(name, value, static_cast<std::int64_t>(last) + 1);
  return static_cast<E>(value);
}

std::string read_text(const char* name, const char* text);
std::string read_optional_text(const char* text);  // NULL: ""
// As much of a text as fits into an array of C, with its end.
template <std::size_t size>
void write_text(const std::string& text, char (&to)[size]) noexcept {
  to[text.copy(to, size - 1)] = '\0';
}
// count of the caller's; NULL only when there are none.
template <class T>
std::span<const T> read_list(const char* name, const T* items, std::int64_t count) {
  if (count < 0) refuse(name, "has a negative count: " + std::to_string(count));
  if (count == 0) return {};
  return {&deref(name, items), static_cast<std::size_t>(count)};
}

// A list's element, where `index` is the caller's.
template <class List>
const auto& element_at(const char* name, const List& list, std::int64_t index) {
  check_range(name, index, static_cast<std::int64_t>(list.size()));
  return list[static_cast<std::size_t>(index)];
}

// An entry of a file's notes, where `index` is the caller's.
void give_entry(const std::map<std::string, std::string>& notes, std::int64_t index, const char** key,
                const char** value);

template <class List>
std::int64_t count_of(const List& list) noexcept {
  return static_cast<std::int64_t>(list.size());
}

// The default where C's zero asks for it.
template <class T>
T or_default(T value, T standard) noexcept {
  return value == 0 ? standard : value;
}

}  // namespace headwise::capi
