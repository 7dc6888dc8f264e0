// Texts, one by one: those of the command line, or the lines of a file or of standard input.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headwise::tools {

class TextSource {
 public:
  virtual ~TextSource() = default;
  // nullopt when there are no more. A line ends at "\n" or "\r\n", the last one also at the end. Throws CommandError
  // for a line of more than 64 MiB and for what cannot be read.
  virtual std::optional<std::string> next() = 0;
  // Whether next() would wait for somebody who has not written yet.
  virtual bool waits() { return false; }
  // For a progress bar; total is 0 where nobody knows it.
  virtual std::uint64_t done() const = 0;
  virtual std::uint64_t total() const = 0;
};

std::unique_ptr<TextSource> given_texts(std::vector<std::string> texts);
// "-": standard input. Throws UsageError as load_array does, CommandError when the file cannot be opened.
std::unique_ptr<TextSource> text_lines(const std::string& path);

}  // namespace headwise::tools
