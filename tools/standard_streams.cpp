#include "standard_streams.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <headwise/npy.hpp>

#include "console.hpp"

namespace headwise::tools {
namespace {

// A program that gave us a pipe may have left it in the mode that does not wait.
void wait_for_input(int descriptor) {
  pollfd input{descriptor, POLLIN, 0};
  poll(&input, 1, -1);
}

std::size_t read_some(void* to, std::size_t count) {
  return read_some_of(STDIN_FILENO, "standard input", to, count);
}

void claim_once() {
  static bool claimed = false;
  if (claimed) throw UsageError("'-' is standard input, which can be read once only; give the others as files");
  claimed = true;
}

void refuse_nothing(std::size_t bytes) {
  if (bytes == 0) throw CommandError("standard input is empty; pipe a file into it, or name a file instead of '-'");
}

Tensor read_standard_array() {
  claim_standard_input("a .npy file");
  bool first = true;
  const ByteReader reader = [&first](void* to, std::size_t count) {
    const std::size_t got = read_some(to, count);
    if (first) refuse_nothing(got);
    first = false;
    return got;
  };
  return read_npy(reader, "standard input");
}

}  // namespace

std::size_t read_some_of(int descriptor, const std::string& name, void* to, std::size_t count) {
  for (;;) {
    const ssize_t got = ::read(descriptor, to, count);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno == EAGAIN) wait_for_input(descriptor);
    if (errno == EAGAIN || errno == EINTR) continue;
    throw CommandError("cannot read " + name + ": " + std::strerror(errno));
  }
}

void claim_standard_input(const std::string& what) {
  claim_once();
  if (isatty(STDIN_FILENO) == 1) throw UsageError("standard input is a terminal; pipe " + what + " into it");
}

bool is_standard(const std::string& path) {
  return path == "-";
}

std::string input_name(const std::string& path) {
  return is_standard(path) ? "standard input" : path;
}

std::string output_name(const std::string& path) {
  return is_standard(path) ? "standard output" : path;
}

Tensor load_array(const std::string& path) {
  return is_standard(path) ? read_standard_array() : load_npy(path);
}

std::string read_standard_text(std::size_t most) {
  claim_once();
  std::string text;
  for (char piece[1 << 16]; text.size() <= most;) {
    const std::size_t got = read_some(piece, sizeof piece);
    if (got == 0) break;
    text.append(piece, got);
  }
  refuse_nothing(text.size());
  if (text.size() > most) {
    throw CommandError("standard input is longer than " + std::to_string(most >> 20) + " MiB");
  }
  return text;
}

void save_array(const std::string& path, const Tensor& tensor) {
  if (!is_standard(path)) return save_npy(path, tensor);
  write_npy([](const void* from, std::size_t count) { write_output({static_cast<const char*>(from), count}); }, tensor);
}

void check_standard_array(const std::string& option) {
  if (isatty(STDOUT_FILENO) == 0) return;
  throw UsageError(option + " - would write the bytes of an array to the terminal; redirect or pipe standard output");
}

}  // namespace headwise::tools
