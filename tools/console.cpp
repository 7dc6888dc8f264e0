#include "console.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "text.hpp"

namespace headwise::tools {
namespace {

bool is_open(int descriptor) {
  return fcntl(descriptor, F_GETFD) != -1;
}

// Takes the lowest free number, which is the one that is missing when they are tried in order.
void fill_with_null(int descriptor) {
  if (!is_open(descriptor) && open("/dev/null", O_RDWR) == -1) std::_Exit(exit_failed);
}

constexpr auto patience = std::chrono::milliseconds(500);
constexpr auto redraw_interval = std::chrono::milliseconds(100);

}  // namespace

void prepare_streams() {
  std::signal(SIGPIPE, SIG_DFL);
  // A limit on the size of files is then an error of write, after which nothing half-written stays.
  std::signal(SIGXFSZ, SIG_IGN);
  const bool output_open = is_open(STDOUT_FILENO);
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) fill_with_null(descriptor);
  if (!output_open) throw OutputError("cannot write output: standard output is closed");
}

void write_output(std::string_view text) {
  errno = 0;
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) throw OutputError(std::string("cannot write output: ") + strerror(errno));
}

void write_error(std::string_view message) {
  const std::string line = "headwise: " + printable(message) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void Console::note(const std::string& message) const {
  if (!options_.quiet) write_error("note: " + message);
}

bool Console::may_draw() const {
  const char* terminal = std::getenv("TERM");
  return !options_.quiet && isatty(STDERR_FILENO) == 1 && terminal && std::strcmp(terminal, "dumb") != 0;
}

ProgressBar::ProgressBar(const Console& console, std::string label)
    : enabled_(console.may_draw()), label_(printable(label)), start_(Clock::now()), next_draw_(start_ + patience) {}

ProgressBar::~ProgressBar() {
  if (drawn_width_ > 0) std::fprintf(stderr, "\r%*s\r", static_cast<int>(drawn_width_), "");
}

void ProgressBar::update(std::uint64_t done, std::uint64_t total) {
  if (!enabled_ || total == 0 || Clock::now() < next_draw_) return;
  next_draw_ = Clock::now() + redraw_interval;
  draw(std::min(1.0, static_cast<double>(done) / static_cast<double>(total)));
}

// No colours and no escape sequences: a carriage return is all that is needed.
void ProgressBar::draw(double share) {
  constexpr std::size_t width = 30;
  const auto filled = static_cast<std::size_t>(share * width);
  const std::string bar = std::string(filled, '#') + std::string(width - filled, '.');
  const double gone = std::chrono::duration<double>(Clock::now() - start_).count();
  std::string line = label_ + " [" + bar + "] " + fixed(share * 100, 0) + " %, " + fixed(gone, 0) + " s";
  if (share > 0) line += ", " + fixed(std::ceil(gone / share - gone), 0) + " s left";
  std::fprintf(stderr, "\r%-*s", static_cast<int>(drawn_width_), line.c_str());
  drawn_width_ = std::max(drawn_width_, line.size());
}

}  // namespace headwise::tools
