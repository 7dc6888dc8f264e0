#include <algorithm>

#include "text.hpp"

namespace headwise::tools {
namespace {

// Characters, not bytes: tensor names may hold any UTF-8.
std::size_t display_width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

bool looks_numeric(const std::string& cell) {
  return cell == "-" || parse_double(cell).has_value();
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::string space(width - std::min(width, display_width(text)), ' ');
  return right ? space + text : text + space;
}

}  // namespace

std::vector<std::size_t> Table::column_widths() const {
  std::vector<std::size_t> widths;
  for (const auto& cells : rows_) {
    widths.resize(std::max(widths.size(), cells.size()));
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], display_width(cells[i]));
  }
  return widths;
}

// The first row may be a heading, so it has no say.
std::vector<bool> Table::numeric_columns() const {
  std::vector<bool> numeric(column_widths().size(), rows_.size() > 1);
  for (std::size_t row = 1; row < rows_.size(); ++row) {
    for (std::size_t i = 0; i < rows_[row].size(); ++i) numeric[i] = numeric[i] && looks_numeric(rows_[row][i]);
  }
  return numeric;
}

std::string Table::to_string() const {
  const auto widths = column_widths();
  const auto numeric = numeric_columns();
  std::string text;
  for (const auto& cells : rows_) {
    std::string line = indent_;
    for (std::size_t i = 0; i < cells.size(); ++i) line += padded(cells[i], widths[i], numeric[i]) + "  ";
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

}  // namespace headwise::tools
