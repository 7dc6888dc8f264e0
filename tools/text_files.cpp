#include "text_files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <headwise/headwise.hpp>

#include "console.hpp"
#include "standard_streams.hpp"

namespace headwise::tools {
namespace {

[[noreturn]] void refuse(const std::string& path) {
  throw CommandError("cannot read " + path + ": " + std::strerror(errno));
}

// A pipe or a device could be waited on for ever.
std::string read_regular_file(const std::string& path, std::size_t most) {
  std::error_code error;
  const bool regular = std::filesystem::is_regular_file(path, error);
  if (!regular && std::filesystem::exists(path, error)) throw CommandError(path + " is no regular file");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(path);
  std::string text(std::min(most, std::filesystem::file_size(path)) + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) refuse(path);
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > most) throw CommandError(path + " is longer than " + std::to_string(most >> 20) + " MiB");
  return text;
}

}  // namespace

std::string read_text_file(const std::string& path, std::size_t most) {
  std::string text = is_standard(path) ? read_standard_text(most) : read_regular_file(path, most);
  // Whoever quotes a line of it would be cut short there.
  if (text.find('\0') != std::string::npos)
    throw CommandError(input_name(path) + " holds a NUL byte, so it is no text");
  return text;
}

void write_text_file(const std::string& path, std::string_view text) {
  if (is_standard(path)) return write_output(text);
  save_bytes(path, text);
}

// The library would write into a device or a pipe; "-" is how standard output is asked for.
void check_target(const std::string& option, const std::string& path, const char* kind) {
  if (is_standard(path)) return;
  if (path == "/dev/stdout") throw UsageError(option + " /dev/stdout: give - for standard output");
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw UsageError(option + " " + path + " is no regular file; give the name of a " + kind + " file to write");
  }
  if (!std::filesystem::exists(status) && std::filesystem::is_symlink(path, ignored)) {
    throw UsageError(option + " " + path +
                     " is a symbolic link to a file that is not there; remove it or make the file");
  }
  const auto folder = std::filesystem::path(path).parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder, ignored)) {
    throw UsageError(option + " " + path + ": there is no folder " + folder.string() + "; make it first");
  }
}

bool same_file(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty() || is_standard(a) || is_standard(b)) return false;
  std::error_code ignored;
  if (a == b || std::filesystem::equivalent(a, b, ignored)) return true;
  const auto whole = std::filesystem::weakly_canonical(std::filesystem::absolute(a, ignored), ignored);
  return !whole.empty() && whole == std::filesystem::weakly_canonical(std::filesystem::absolute(b, ignored), ignored);
}

}  // namespace headwise::tools
