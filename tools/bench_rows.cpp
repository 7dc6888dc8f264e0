#include "bench_rows.hpp"

#include <algorithm>

#include "text.hpp"

namespace headwise::tools {
namespace {

// What tells cases apart. A column that says the same everywhere goes into the line above the table.
struct CaseColumn {
  const char* title;
  std::string (*cell)(const BenchCase&);
};
constexpr CaseColumn case_columns[] = {
    {"part", [](const BenchCase& c) { return name_of(part_names(), c.part); }},
    {"ask", [](const BenchCase& c) { return name_of(ask_names(), c.ask); }},
    {"shape", [](const BenchCase& c) { return to_text(c.shape); }},
    {"layer", [](const BenchCase& c) { return c.layer.empty() ? "random weights" : printable(c.layer); }},
    {"dtype", [](const BenchCase& c) { return std::string(dtype_name(c.dtype)); }},
    {"ISA", [](const BenchCase& c) { return printable(c.isa); }},
    {"threads", [](const BenchCase& c) { return std::to_string(c.threads); }}};

bool has_column(const CaseColumn& column, const std::vector<BenchCase>& cases) {
  const bool varies = std::any_of(cases.begin(), cases.end(),
                                  [&](const BenchCase& one) { return column.cell(one) != column.cell(cases[0]); });
  return varies || column.title == std::string("shape");
}

std::string markdown_table(const Rows& rows) {
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string line = "|", rule = "|";
    for (const std::string& cell : rows[i]) line += " " + cell + " |", rule += "---|";
    text += line + "\n" + (i == 0 ? rule + "\n" : "");
  }
  return text;
}

}  // namespace

Rows case_rows(const std::vector<BenchCase>& cases) {
  Rows rows(cases.size() + 1);
  for (const CaseColumn& column : case_columns) {
    if (!has_column(column, cases)) continue;
    rows[0].push_back(column.title);
    for (std::size_t i = 0; i < cases.size(); ++i) rows[i + 1].push_back(column.cell(cases[i]));
  }
  return rows;
}

std::string common_words(const std::vector<BenchCase>& cases) {
  std::string words;
  for (const CaseColumn& column : case_columns) {
    if (has_column(column, cases)) continue;
    const bool threads = column.title == std::string("threads");
    const std::string cell = threads ? plural(cases[0].threads, "thread") : column.cell(cases[0]);
    words += (words.empty() ? "" : ", ") + cell;
  }
  return words;
}

std::string milliseconds(double seconds) {
  const double ms = seconds * 1e3;
  const int decimals = ms >= 1000 ? 0 : ms >= 100 ? 1 : ms >= 10 ? 2 : ms >= 1 ? 3 : ms >= 0.1 ? 4 : 5;
  return fixed(ms, decimals);
}

std::string rows_text(const Rows& rows, bool markdown) {
  if (markdown) return markdown_table(rows);
  Table table("");
  for (const auto& row : rows) table.row(row);
  return table.to_string();
}

}  // namespace headwise::tools
