#include "target.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "json_model.hpp"

void require(bool kept, const std::string& promise) {
  if (kept) return;
  std::fprintf(stderr, "broken: %s\n", promise.c_str());
  std::abort();
}

Tally& tally() {
  static Tally counts;
  return counts;
}

InputFolder::InputFolder(const std::string& input_name)
    : input_(folder_.file(input_name)), descriptor_(::memfd_create("input", 0)) {
  const std::string memory = "/proc/self/fd/" + std::to_string(descriptor_);
  require(descriptor_ >= 0 && ::symlink(memory.c_str(), input_.c_str()) == 0, "there is a file in memory");
}

void InputFolder::write(std::string_view bytes) const {
  require(::ftruncate(descriptor_, 0) == 0, "the file is emptied");
  const auto written = ::pwrite(descriptor_, bytes.data(), bytes.size(), 0);
  require(written == static_cast<ssize_t>(bytes.size()), "the input is written");
}

headwise::WeightFile layers_beside(const TemporaryFolder& folder) {
  const std::string path = folder.file("model.safetensors");
  std::filesystem::copy_file(HEADWISE_TEST_DATA "/extras.safetensors", path);
  return headwise::WeightFile::open(path);
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
