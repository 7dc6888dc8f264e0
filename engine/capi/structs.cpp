#include "structs.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace headwise::capi {
namespace {

// No struct will grow past this; a larger size is memory that nobody has initialised, and is not to be followed.
constexpr std::size_t largest_struct = 4096;

std::size_t checked_size(const char* name, const void* given, std::size_t first) {
  std::size_t size = 0;
  std::memcpy(&size, given, sizeof size);
  if (size >= first && size <= largest_struct) return size;
  refuse(name, "has struct_size " + std::to_string(size) + "; expected at least " + std::to_string(first) +
                   ", which HEADWISE_INIT sets");
}

}  // namespace

void refuse(const char* name, const std::string& problem) {
  throw Error(ErrorCode::invalid_argument, std::string(name) + " " + problem);
}

void refuse_failure(const std::string& who, std::int64_t result) {
  throw Error(ErrorCode::io, who + " failed: it returned " + std::to_string(result));
}

void read_bytes(const char* name, const void* given, std::size_t first, std::size_t known, void* result) {
  const std::size_t size = checked_size(name, given, first);
  const auto* bytes = static_cast<const char*>(given);
  std::memcpy(result, bytes, std::min(size, known));
  if (size <= known || std::all_of(bytes + known, bytes + size, [](char byte) { return byte == 0; })) return;
  throw Error(ErrorCode::unsupported, std::string(name) + " asks for something that this version, which knows " +
                                          std::to_string(known) + " of its " + std::to_string(size) +
                                          " bytes, does not have");
}

void write_bytes(const char* name, void* given, std::size_t first, std::size_t known, const void* result) {
  const std::size_t size = checked_size(name, given, first);
  const std::size_t common = std::min(size, known), head = sizeof(std::size_t);
  auto* bytes = static_cast<char*>(given);
  std::memcpy(bytes + head, static_cast<const char*>(result) + head, common - head);
  std::memset(bytes + common, 0, size - common);
}

bool read_flag(const char* name, std::int32_t value) {
  check_range(name, value, 2);
  return value == 1;
}

void check_range(const char* name, std::int64_t value, std::int64_t count) {
  if (value >= 0 && value < count) return;
  refuse(name, "is " + std::to_string(value) +
                   (count == 0 ? "; there is none" : "; expected 0 to " + std::to_string(count - 1)));
}

std::string read_text(const char* name, const char* text) {
  return &deref(name, text);
}

std::string read_optional_text(const char* text) {
  return text == nullptr ? "" : text;
}

void give_entry(const std::map<std::string, std::string>& notes, std::int64_t index, const char** key,
                const char** value) {
  check_range("index", index, static_cast<std::int64_t>(notes.size()));
  const char*& wanted_key = deref("key", key);
  deref("value", value) = std::next(notes.begin(), index)->second.c_str();
  wanted_key = std::next(notes.begin(), index)->first.c_str();
}

}  // namespace headwise::capi
