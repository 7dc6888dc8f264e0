// What the command says and where: results to stdout, talk to stderr.
#pragma once

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace headwise::tools {

enum ExitCode {
  exit_ok = 0,
  exit_failed = 1,
  exit_usage = 2,
  exit_loss = 3,           // of bench --compare
  exit_interrupted = 130,  // as a shell says it of SIGINT
};

// The command line cannot be obeyed as it stands, or what it names does not fit together: exit code 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The command cannot do what was asked; the message says what to do instead: exit code 1.
struct CommandError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Standard output does not take our data: exit code 1.
struct OutputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct CommonOptions {
  bool json = false;
  bool quiet = false;
};

// Opens what a caller closed among the standard streams, so that no data file can get their numbers, and lets a closed
// pipe end the process quietly. Throws OutputError when standard output is closed.
void prepare_streams();
// Writes all of it or throws OutputError.
void write_output(std::string_view text);
// One line on stderr: "headwise: message".
void write_error(std::string_view message);

class Console {
 public:
  explicit Console(const CommonOptions& options) : options_(options) {}
  bool json() const { return options_.json; }
  void note(const std::string& message) const;
  bool may_draw() const;  // stderr is a terminal that can move its cursor

 private:
  CommonOptions options_;
};

// A bar with the time gone and left on the terminal for work that takes longer than half a second; never a byte
// anywhere else.
class ProgressBar {
 public:
  ProgressBar(const Console& console, std::string label);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  void update(std::uint64_t done, std::uint64_t total);

 private:
  using Clock = std::chrono::steady_clock;
  void draw(double share);

  bool enabled_;
  std::string label_;
  Clock::time_point start_, next_draw_;
  std::size_t drawn_width_ = 0;
};

}  // namespace headwise::tools
