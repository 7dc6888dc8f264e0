#include "profile_html.hpp"

#include "profile_plot.hpp"

namespace headwise::tools {
namespace {

// The policy keeps the page from loading anything, whatever a name in a weight file says.
constexpr auto head = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>headwise profile</title>
<style>
:root { --page: #fff; --ink: #1b2230; --soft: #5d6675; --grid: #e4e7ec; --roof: #7b8494; --row: #f5f6f8;
  --compute: #1f63d0; --memory: #b8500f; --bar: #d5e3fa; }
@media (prefers-color-scheme: dark) {
  :root { --page: #14171c; --ink: #e7e9ed; --soft: #a0a8b5; --grid: #2a3039; --roof: #8791a1; --row: #1b1f26;
    --compute: #74abff; --memory: #f29a5c; --bar: #24406b; }
}
body { background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto;
  max-width: 60rem; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
svg { display: block; height: auto; width: 100%; }
table { border-collapse: collapse; display: block; overflow-x: auto; font-variant-numeric: tabular-nums; }
td, th { padding: .25rem .8rem; text-align: right; white-space: nowrap; font-weight: normal; }
th { color: var(--soft); } td:first-child, th:first-child, td.word, th.word { text-align: left; }
.figures tbody tr:nth-child(odd) { background: var(--row); }
.call td { text-align: left; white-space: normal; } .call td:first-child { color: var(--soft); white-space: nowrap; }
td.share { min-width: 6rem; background: linear-gradient(to right, var(--bar) var(--part), transparent var(--part)); }
.indent { padding-left: 1.4rem; color: var(--soft); }
p { color: var(--soft); max-width: 46rem; }
text { fill: var(--ink); font: 13px system-ui, sans-serif; } .tick, .axis { fill: var(--soft); }
.grid { stroke: var(--grid); } .roof { stroke: var(--roof); stroke-width: 2; }
.name { paint-order: stroke; stroke: var(--page); stroke-width: 3px; }
.compute { fill: var(--compute); stroke: var(--compute); color: var(--compute); }
.memory { fill: var(--memory); stroke: var(--memory); color: var(--memory); }
.part { fill: var(--page); stroke-width: 2; }
.point:hover .name, .point:focus .name { font-weight: bold; } .point { outline: none; cursor: default; }
</style>
</head>
<body>
<h1>headwise profile</h1>
)";

constexpr auto legend =
    "<p><span class=\"compute\">●</span> bound by compute, <span class=\"memory\">■</span> bound by memory; hollow: a "
    "part of attention. Lines are what this machine reached in the same process. What computes nothing is in the "
    "table only.</p>\n";

using Cells = std::vector<std::string>;

std::string call_rows(const Table& table) {
  std::string html = "<table class=\"call\">\n";
  for (const Cells& cells : table.rows()) {
    html += "<tr>";
    for (const std::string& cell : cells) html += "<td>" + escape_html(cell) + "</td>";
    html += "</tr>\n";
  }
  return html + "</table>\n";
}

// The column of shares gets a bar behind each figure; a name that is indented in the text is so here.
std::string figure_cell(const std::string& heading, const std::string& cell) {
  const std::string text = escape_html(cell);
  if (heading == "%") return "<td class=\"share\" style=\"--part: " + text + "%\">" + text + "</td>";
  if (heading == "bound by") return "<td class=\"word\">" + text + "</td>";
  return (cell.starts_with(' ') ? "<td class=\"indent\">" : "<td>") + text + "</td>";
}

std::string figures(const Table& table) {
  const Cells& headings = table.rows().front();
  std::string html = "<table class=\"figures\">\n<thead><tr>";
  for (const std::string& cell : headings) {
    html += (cell == "bound by" ? "<th class=\"word\">" : "<th>") + escape_html(cell) + "</th>";
  }
  html += "</tr></thead>\n<tbody>\n";
  for (std::size_t row = 1; row < table.rows().size(); ++row) {
    html += "<tr>";
    for (std::size_t i = 0; i < headings.size(); ++i) html += figure_cell(headings[i], table.rows()[row][i]);
    html += "</tr>\n";
  }
  return html + "</tbody>\n</table>\n";
}

}  // namespace

std::string profile_html(const ProfileReport& report) {
  const ProfileResult& result = report.result;
  std::string html = head + call_rows(call_table(report));
  html += "<h2>Roofline</h2>\n<figure style=\"margin: 0\">\n" + roofline_svg(result) + "</figure>\n" + legend;
  html += "<h2>Steps</h2>\n" + figures(steps_table(result));
  if (result.profile.threads.size() > 1) html += "<h2>Threads</h2>\n" + figures(threads_table(result));
  for (const std::string& note : profile_notes(result)) html += "<p>" + escape_html(note) + "</p>\n";
  return html + "<p>headwise " + escape_html(version()) + "</p>\n</body>\n</html>\n";
}

}  // namespace headwise::tools
