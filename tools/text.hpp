// Text that is safe to print and numbers that read the same in every locale.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headwise::tools {

// Valid UTF-8: bytes that are not become \xNN, so that any file name can stand in JSON.
std::string valid_utf8(std::string_view text);
// One line that cannot steer a terminal: control characters become \xNN as well.
std::string printable(std::string_view text);

// Bytes of the character that a text starts with, 1 for a byte that starts none; the number of a well-formed character
// in hexadecimal, of four digits or more: "2264" of "≤".
std::size_t utf8_length(std::string_view text);
std::string scalar_value(std::string_view character);

std::string shortest(float value);  // the fewest digits that read back as the same bits
std::string shortest(double value);
std::string significant(double value, int digits);
std::string fixed(double value, int decimals);
std::string byte_text(std::uint64_t bytes);                // "589 kB"
std::string flop_text(double flops);                       // "25.8 GFLOP"
std::string plural(std::int64_t count, const char* noun);  // "1 tensor", "2 tensors"

// The whole of a text as a decimal integer without sign, blanks or exponent; as a number such as -1.5e-3.
std::optional<std::int64_t> parse_whole_number(const std::string& text);
std::optional<float> parse_float(const std::string& text);
std::optional<double> parse_double(const std::string& text);

// Lines that are longer than `width` characters go on in the next line, `indent` blanks in, where there is a blank to
// break at.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

// The candidate that is the fewest edits away from a word, or "" when none is near.
std::string nearest_word(const std::string& word, const std::vector<std::string>& candidates);

// Rows of cells, padded so that columns line up; a column whose cells are all numbers goes to the right.
class Table {
 public:
  explicit Table(std::string indent = "  ") : indent_(std::move(indent)) {}
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  const std::vector<std::vector<std::string>>& rows() const { return rows_; }
  std::string to_string() const;

 private:
  std::vector<std::size_t> column_widths() const;
  std::vector<bool> numeric_columns() const;

  std::string indent_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace headwise::tools
