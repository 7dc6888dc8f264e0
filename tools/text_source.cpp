#include "text_source.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "console.hpp"
#include "standard_streams.hpp"

namespace headwise::tools {
namespace {

constexpr std::size_t longest_line = std::size_t{64} << 20;

class GivenTexts : public TextSource {
 public:
  explicit GivenTexts(std::vector<std::string> texts) : texts_(std::move(texts)) {}
  std::optional<std::string> next() override {
    return at_ < texts_.size() ? std::optional(std::move(texts_[at_++])) : std::nullopt;
  }
  std::uint64_t done() const override { return at_; }
  std::uint64_t total() const override { return texts_.size(); }

 private:
  std::vector<std::string> texts_;
  std::size_t at_ = 0;
};

class Lines : public TextSource {
 public:
  Lines(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {
    struct stat status {};
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) total_ = static_cast<std::uint64_t>(status.st_size);
  }
  ~Lines() override {
    if (descriptor_ != STDIN_FILENO) close(descriptor_);
  }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  std::optional<std::string> next() override {
    std::size_t end = 0;
    while ((end = buffer_.find('\n', searched_)) == std::string::npos && read_more()) check_length();
    if (end == std::string::npos && at_ == buffer_.size()) return std::nullopt;
    const std::size_t stop = std::min(end, buffer_.size());
    std::string line = buffer_.substr(at_, stop - at_);
    if (line.ends_with('\r')) line.pop_back();
    done_ += stop - at_ + 1;
    at_ = searched_ = std::min(stop + 1, buffer_.size());
    return line;
  }

  bool waits() override {
    pollfd input{descriptor_, POLLIN, 0};
    return buffer_.find('\n', searched_) == std::string::npos && poll(&input, 1, 0) == 0;
  }

  std::uint64_t done() const override { return done_; }
  std::uint64_t total() const override { return total_; }

 private:
  bool read_more() {
    buffer_.erase(0, at_);
    at_ = 0;
    searched_ = buffer_.size();
    char piece[1 << 16];
    const std::size_t got = read_some_of(descriptor_, input_name(name_), piece, sizeof piece);
    buffer_.append(piece, got);
    return got > 0;
  }
  void check_length() const {
    if (buffer_.size() <= longest_line + (1 << 16)) return;
    throw CommandError(input_name(name_) + ": a line is longer than 64 MiB; each line is one text, so break it up");
  }

  int descriptor_;
  std::string name_, buffer_{};
  std::size_t at_ = 0,
              searched_ = 0;  // in the buffer: where the next line begins, and up to where there is no end of it
  std::uint64_t done_ = 0, total_ = 0;
};

}  // namespace

std::unique_ptr<TextSource> given_texts(std::vector<std::string> texts) {
  return std::make_unique<GivenTexts>(std::move(texts));
}

std::unique_ptr<TextSource> text_lines(const std::string& path) {
  if (is_standard(path)) {
    claim_standard_input("a text");
    return std::make_unique<Lines>(STDIN_FILENO, path);
  }
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    throw CommandError(path + ": cannot open: " + std::strerror(errno) + "; check the name of the file");
  return std::make_unique<Lines>(descriptor, path);
}

}  // namespace headwise::tools
