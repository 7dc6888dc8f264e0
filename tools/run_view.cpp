#include "run_view.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>

#include "file_roles.hpp"
#include "head_arrays.hpp"
#include "option_types.hpp"
#include "standard_streams.hpp"
#include "text.hpp"
#include "text_files.hpp"
#include "view_page.hpp"

namespace headwise::tools {

namespace {

// Most files are called model.safetensors: the folder tells them apart.
std::string page_title(const std::string& file) {
  if (is_standard(file)) return "standard input";
  std::error_code ignored;
  const auto path = std::filesystem::absolute(file, ignored).lexically_normal();
  return valid_utf8((path.parent_path().filename() / path.filename()).string());
}

}  // namespace

void add_run_view_options(CLI::App& app, RunOptions& options) {
  constexpr auto group = "Results";
  add_path(app, "--view", options.view, "Write a page that shows the heads, with --attention; see 'headwise view'")
      ->group(group);
  add_path(app, "--tokens", options.tokens, "For the page: the tokens, one a line or a JSON list")->group(group);
}

void check_run_view(const RunOptions& options) {
  check_needs(!options.tokens.empty(), !options.view.empty(), "--tokens", "--view");
  if (options.view.empty()) return;
  check_needs(true, options.wants(Output::attention), "--view", "--attention");
  if (options.given(Input::attention_heads) || options.given(Input::attention_queries)) {
    throw UsageError("--view shows all heads and queries; leave out --attention-heads and --attention-queries");
  }
  if (is_standard(options.view)) throw UsageError("--view needs a file of its own; standard output is for results");
  check_target("--view", options.view, ".html");
  std::vector<NamedPath> read = call_files(options), targets{{"--view", options.view}};
  read.emplace_back("--tokens", options.tokens);
  for (const OutputFile& file : output_files()) targets.emplace_back(file.option(), options.outputs[file.id]);
  check_targets_differ(targets, std::move(read));
}

std::vector<std::string> run_view_tokens(const RunOptions& options) {
  return options.tokens.empty() ? std::vector<std::string>{} : read_tokens(options.tokens);
}

void write_run_view(RunResult& result, const RunOptions& options, const std::vector<std::string>& tokens,
                    const Console& console) {
  ArrayChoice choice;
  choice.title = page_title(options.file);
  choice.name = "--view: the attention of this call";
  choice.tokens = tokens;
  choice.layer = options.load.layer;
  const LayerResults& results = result.results;
  HeadWeights weights =
      head_arrays(results.tensors[Output::attention], results.tensors[Output::head_contribution], choice);
  note_nonfinite(weights);
  check_page_size(weights);
  for (const std::string& note : weights.notes) console.note("the page: " + note);
  const std::string page = view_page(weights);
  write_text_file(options.view, page);
  note_large_page(page.size(), console);
  result.page_bytes = page.size();
  result.page_notes = weights.notes;
}

}  // namespace headwise::tools
