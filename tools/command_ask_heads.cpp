// headwise ask-heads: which heads tie two words.
#include <CLI/CLI.hpp>
#include <memory>

#include "ask_heads_report.hpp"
#include "command.hpp"
#include "head_source.hpp"
#include "option_types.hpp"

namespace headwise::tools {
namespace {

constexpr auto details = R"(
Ranks all heads by the weight with which one word looks at another, shows the
other direction too, how many times that is what a head has that looks at all
tokens alike, and what pattern the head follows otherwise ('headwise view' shows
the rules). The three strongest heads of the other direction follow. A word of several tokens: the mean over the tokens of the word that
looks, of the sum over those of the other. A word that occurs several times
counts with all of its occurrences; --from bank:2 means the second. [CLS] and
[SEP] are words too.

Example:
  headwise ask-heads model/ --text "The bank was full of money." --from bank --to money
  headwise ask-heads model/ --text "A cat sat." --pair "It slept." --from It --to cat --top 5
  headwise ask-heads --attention w.npy --tokens tokens.txt --from bank --to money)";

struct AskOptions : HeadSource {
  std::string from, to;
  std::int64_t top = 10;
};

void add_words(CLI::App& app, AskOptions& options) {
  constexpr auto group = "The question";
  app.add_option("--from", options.from, "The word that looks")
      ->required()
      ->option_text("WORD (required)")
      ->group(group);
  app.add_option("--to", options.to, "The word that is looked at")
      ->required()
      ->option_text("WORD (required)")
      ->group(group);
  add_integer<std::int64_t>(app, "--top", options.top, 0, 1'000'000, "How many heads to list; 0: all (default 10)")
      ->group(group);
}

int ask(const CLI::App& app, const AskOptions& options) {
  check_head_source(app, options);
  const Console console(options.common);
  const HeadWeights weights = load_head_weights(options, console);
  const HeadAnswers answers = ask_heads(weights, options.from, options.to);
  const auto top = static_cast<std::size_t>(options.top);
  write_output(options.common.json ? ask_heads_json(weights, answers, top) : ask_heads_text(weights, answers, top));
  return exit_ok;
}

}  // namespace

Command add_ask_heads(CLI::App& app) {
  CLI::App* parser =
      app.add_subcommand("ask-heads", "Rank the heads of a text encoder by how one word looks at another");
  auto options = std::make_shared<AskOptions>();
  add_head_source(*parser, *options);
  add_words(*parser, *options);
  parser->footer(details);
  return {parser, [parser, options] { return ask(*parser, *options); }};
}

}  // namespace headwise::tools
