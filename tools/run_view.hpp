// The page of `headwise run --view`: the heads of the one layer that ran.
#pragma once

#include <string>
#include <vector>

#include "console.hpp"
#include "run_report.hpp"

namespace headwise::tools {

void add_run_view_options(CLI::App& app, RunOptions& options);
// Throws UsageError when the page has no weights to show, or its file is another one of the call.
void check_run_view(const RunOptions& options);
// The tokens of --tokens; none without. Read before the call, so that a wrong file costs nothing.
std::vector<std::string> run_view_tokens(const RunOptions& options);
// Fills in what the report says of the page, and tells the notes.
void write_run_view(RunResult& result, const RunOptions& options, const std::vector<std::string>& tokens,
                    const Console& console);

}  // namespace headwise::tools
