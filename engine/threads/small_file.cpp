#include "small_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace headwise::threads {

// Not through a stream: these read in the locale that the host has set. Never waiting: a stranger may have put a pipe
// where the file was.
std::string read_small_file(const std::string& path, std::size_t most) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return "";
  std::string text;
  char piece[4096];
  for (;;) {
    const ssize_t got = read(file, piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || text.size() >= most) break;
    text.append(piece, static_cast<std::size_t>(got));
  }
  close(file);
  if (text.size() > most) text.resize(most);
  return text;
}

}  // namespace headwise::threads
