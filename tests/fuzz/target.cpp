#include "target.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "json_model.hpp"

void require(bool kept, const std::string& promise) {
  if (kept) return;
  std::fprintf(stderr, "broken: %s\n", promise.c_str());
  std::abort();
}

std::string input_file(std::string_view bytes) {
  static const int descriptor = ::memfd_create("input", 0);
  require(descriptor >= 0 && ::ftruncate(descriptor, 0) == 0, "there is a file in memory");
  const auto written = ::pwrite(descriptor, bytes.data(), bytes.size(), 0);
  require(written == static_cast<ssize_t>(bytes.size()), "the input is written");
  return "/proc/self/fd/" + std::to_string(descriptor);
}

void require_refusal(const headwise::Error& error) {
  using headwise::ErrorCode;
  const std::string text = error.what();
  const bool of_file = error.code() == ErrorCode::bad_file || error.code() == ErrorCode::unsupported;
  require(of_file || error.code() == ErrorCode::invalid_argument, std::string("a fitting code for: ") + text);
  const bool controls = std::any_of(text.begin(), text.end(), [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; });
  require(!controls && is_utf8(text), "the message is printable: " + text);
  require(!text.empty() && text.size() < 4000, "the message is of a readable length: " + text);
}
