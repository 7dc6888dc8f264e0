// headwise view: a page that shows every head of a text.
#include <CLI/CLI.hpp>
#include <memory>

#include "command.hpp"
#include "file_roles.hpp"
#include "head_source.hpp"
#include "option_types.hpp"
#include "standard_streams.hpp"
#include "text_files.hpp"
#include "view_export.hpp"
#include "view_page.hpp"
#include "view_report.hpp"

namespace headwise::tools {
namespace {

constexpr auto details = R"(
Writes one page that shows all heads: a grid of layers × heads to pick from, the
weights of the chosen heads as lines between tokens and as heat maps, what each
head does in figures and, where a simple pattern holds, in a word, and what it
adds to the output of its layer. The page needs no network and no other file;
open it in any browser.

Without a model, --attention takes the weights of one layer as 'headwise run
--attention' writes them, and --tokens the names of its tokens. --export writes
the exact weights for numpy. Arrays of the .npz:
  attention     f32 [layers, heads, tokens, tokens], rows are the tokens that look
  contribution  f32 [layers, heads, tokens], norms of what heads add; of models
  layers        i64 [layers], their numbers in the model
  segments      i64 [tokens]: 1 the text, 2 the pair, 0 put in by the tokenizer
--bertviz writes the arguments of BertViz's head_view and model_view as JSON,
with layers under their numbers in the model. In Python:
  import json, torch, bertviz
  view = json.load(open("w.json"))
  view["attention"] = [torch.tensor(layer) for layer in view["attention"]]
  bertviz.head_view(**view)
-o - writes the page to standard output.

Example:
  headwise view model/ --text "The bank was full of money." -o heads.html
  headwise view model/ --text "A cat sat." --pair "It slept." -o heads.html
  headwise view --attention w.npy --tokens tokens.txt -o layer.html)";

struct ViewOptions : HeadSource {
  std::string page, npz, bertviz;
};

std::vector<NamedPath> targets(const ViewOptions& options) {
  std::vector<NamedPath> named;
  if (!options.page.empty()) named.emplace_back("--output", options.page);
  if (!options.npz.empty()) named.emplace_back("--export", options.npz);
  if (!options.bertviz.empty()) named.emplace_back("--bertviz", options.bertviz);
  return named;
}

void add_targets(CLI::App& app, ViewOptions& options) {
  constexpr auto group = "Files to write";
  add_path(app, "-o,--output", options.page, "The page (.html)")->group(group);
  add_path(app, "--export", options.npz, "The weights and the norms of contributions (.npz)")->group(group);
  add_path(app, "--bertviz", options.bertviz, "The weights as BertViz takes them (.json)")->group(group);
}

std::string on_standard_output(const ViewOptions& options) {
  std::string found;
  for (const auto& [option, path] : targets(options)) {
    if (!is_standard(path)) continue;
    if (!found.empty()) throw UsageError(found + " and " + option + " cannot both be on standard output");
    found = option;
  }
  return found;
}

void check_targets(const ViewOptions& options) {
  if (targets(options).empty()) throw UsageError("nothing to write; give -o and the name of an .html file");
  const std::string standard = on_standard_output(options);
  if (!standard.empty() && options.common.json) {
    throw UsageError("--json and " + standard + " - both want standard output; give " + standard + " a file");
  }
  if (is_standard(options.npz)) throw UsageError("--export is an archive and needs a file of its own");
  for (const auto& [option, path] : targets(options)) {
    check_target(option, path, option == "--export" ? ".npz" : "new");
  }
  std::vector<NamedPath> read = model_files(options.folder);
  read.insert(read.end(), {{"--attention", options.attention}, {"--tokens", options.tokens}});
  check_targets_differ(targets(options), std::move(read));
}

std::vector<WrittenFile> write_files(const HeadWeights& weights, const ViewOptions& options, const Console& console) {
  std::vector<WrittenFile> files;
  const auto write = [&files](const char* kind, const std::string& path, const std::string& text) {
    write_text_file(path, text);
    files.push_back({kind, path, text.size()});
  };
  if (!options.page.empty()) {
    write("page", options.page, view_page(weights));
    note_large_page(files.back().bytes, console);
  }
  if (!options.bertviz.empty()) write("bertviz", options.bertviz, bertviz_json(weights));
  if (options.npz.empty()) return files;
  export_npz(options.npz, weights);
  files.push_back({"weights", options.npz, 0});
  return files;
}

int view(const CLI::App& app, const ViewOptions& options) {
  check_head_source(app, options);
  check_targets(options);
  const Console console(options.common);
  const HeadWeights weights = load_head_weights(options, console);
  if (!options.page.empty()) check_page_size(weights);
  if (!options.bertviz.empty()) check_bertviz(weights);
  const std::vector<WrittenFile> files = write_files(weights, options, console);
  if (!on_standard_output(options).empty()) return exit_ok;
  write_output(options.common.json ? view_json(weights, files) : view_text(weights, files));
  return exit_ok;
}

}  // namespace

Command add_view(CLI::App& app) {
  CLI::App* parser = app.add_subcommand("view", "Write a page that shows every attention head of a text");
  auto options = std::make_shared<ViewOptions>();
  add_head_source(*parser, *options);
  add_targets(*parser, *options);
  parser->footer(details);
  return {parser, [parser, options] { return view(*parser, *options); }};
}

}  // namespace headwise::tools
