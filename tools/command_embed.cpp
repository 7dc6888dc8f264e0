// headwise embed: an embedding of each text.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "console.hpp"
#include "embed_job.hpp"
#include "file_roles.hpp"
#include "json_output.hpp"
#include "option_types.hpp"
#include "standard_streams.hpp"
#include "text.hpp"
#include "text_files.hpp"

namespace headwise::tools {
namespace {

struct EmbedOptions : SentenceOptions {
  std::vector<std::string> texts;
  std::string file, output;
  bool with_text = false;
};

constexpr auto details = R"(
Each --text, or each line of --file or of standard input, is one text; an empty
line is an empty text, and bytes that are no UTF-8 count as U+FFFD. Without
--output each embedding goes to standard output at once, a JSON object a line:
  {"embedding":[0.0123,-0.0456]}
in the order of the texts, so endless input needs no more memory than short
one. --output and --json keep all embeddings until the end. In JSON NaN and
infinity become null; a note and nonfinite_count of --json say how many.

Pooling, normalization, length limit and prompt are as the folder says in the
files of sentence-transformers. A folder without them gets what
sentence-transformers does then: the mean of all tokens, not normalized.

Example:
  headwise embed all-MiniLM-L6-v2 --file lines.txt --output e.npy)";

Json embedding_json(std::span<const float> embedding) {
  Json values = Json::array();
  for (const float value : embedding) values.push_back(json_number(value));
  return values;
}

Json summary(const EmbedOptions& options, const SentenceModel& model) {
  const SentenceSettings& settings = model.settings();
  Json result{{"model", json_text(options.folder)},
              {"texts", model.texts()},
              {"tokens", model.tokens()},
              {"cut", model.cut()},
              {"dimension", model.dimension()},
              {"pooling", pooling_word(settings.pooling)},
              {"normalize", settings.normalize},
              {"max_length", settings.max_length},
              {"prompt", json_text(settings.prompt)}};
  result.update(to_json(model.nonfinite()));
  if (!options.output.empty()) result["output"] = json_text(options.output);
  return result;
}

std::string summary_text(const EmbedOptions& options, const SentenceModel& model) {
  return plural(model.texts(), "text") + " with " + plural(model.tokens(), "token") + ", " +
         plural(model.dimension(), "feature") + " each, in " + printable(options.output) + "\n";
}

void write_lines(TextSource& source, SentenceModel& model, const EmbedOptions& options, const Console& console) {
  embed_all(source, model, console, [&](const std::string& text, std::span<const float> embedding) {
    Json line = Json::object();
    if (options.with_text) line["text"] = json_read_text(text);
    line["embedding"] = embedding_json(embedding);
    write_output(json_line(line));
  });
}

void write_object(TextSource& source, SentenceModel& model, const EmbedOptions& options, const Console& console) {
  Json embeddings = Json::array(), texts = Json::array();
  embed_all(source, model, console, [&](const std::string& text, std::span<const float> embedding) {
    if (options.with_text) texts.push_back(json_read_text(text));
    embeddings.push_back(embedding_json(embedding));
  });
  Json result = summary(options, model);
  if (options.with_text) result["given"] = std::move(texts);
  result["embeddings"] = std::move(embeddings);
  write_output(json_line(result));
}

void write_array(TextSource& source, SentenceModel& model, const EmbedOptions& options, const Console& console) {
  std::vector<float> rows;
  embed_all(source, model, console, [&](const std::string&, std::span<const float> embedding) {
    rows.insert(rows.end(), embedding.begin(), embedding.end());
  });
  Tensor result({model.texts(), model.dimension()});
  std::copy(rows.begin(), rows.end(), result.data());
  save_array(options.output, result);
  if (is_standard(options.output)) return;
  write_output(options.common.json ? json_line(summary(options, model)) : summary_text(options, model));
}

std::unique_ptr<TextSource> source_of(const EmbedOptions& options) {
  if (!options.texts.empty()) return given_texts(options.texts);
  return text_lines(options.file.empty() ? "-" : options.file);
}

void check_file(const EmbedOptions& options) {
  check_target("--output", options.output, ".npy");
  std::vector<NamedPath> read = model_files(options.folder);
  read.emplace_back("--file", options.file);
  check_targets_differ({{"--output", options.output}}, std::move(read));
}

void check_options(const EmbedOptions& options) {
  if (options.output.empty()) return;
  if (options.with_text) throw UsageError("--with-text says nothing with --output, whose array holds numbers only");
  if (!is_standard(options.output)) return check_file(options);
  check_standard_array("--output");
  if (options.common.json) throw UsageError("--json and --output - would both write to standard output");
}

int run_embed(const EmbedOptions& options) {
  check_options(options);
  const Console console(options.common);
  const auto source = source_of(options);
  SentenceModel model(options, console);
  model.note_assumptions(console, SentenceUse::embedding);
  const auto write = !options.output.empty() ? write_array : options.common.json ? write_object : write_lines;
  write(*source, model, options, console);
  model.note_results(console);
  return exit_ok;
}

}  // namespace

Command add_embed(CLI::App& app) {
  CLI::App* parser = app.add_subcommand("embed", "Embeddings of texts by a model of the BERT family");
  auto options = std::make_shared<EmbedOptions>();
  add_common_options(*parser, options->common);
  add_sentence_options(*parser, *options);
  CLI::Option* text = parser->add_option("--text", options->texts, "A text; may be given again")->option_text("TEXT");
  text->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_path(*parser, "--file", options->file, "Texts, one a line (default -: standard input)")->excludes(text);
  add_path(*parser, "--output", options->output, "Write [texts, features] to a .npy file, or - for standard output");
  parser->add_flag("--with-text", options->with_text, "Put each text beside its embedding")->option_text(" ");
  parser->footer(details);
  return {parser, [options] { return run_embed(*options); }};
}

}  // namespace headwise::tools
