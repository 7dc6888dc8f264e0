// headwise similar: the cosine of two texts.
#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "console.hpp"
#include "json_output.hpp"
#include "option_types.hpp"
#include "sentence_model.hpp"
#include "text.hpp"

namespace headwise::tools {
namespace {

struct SimilarOptions : SentenceOptions {
  std::string a, b;
};

constexpr auto details = R"(
The cosine of the angle between the embeddings of both texts: 1 for the same
direction, 0 for nothing in common. 'headwise embed --help' says how a text
becomes an embedding.

Example:
  headwise similar all-MiniLM-L6-v2 'A cat sleeps.' 'The kitten naps.')";

double cosine(std::span<const float> a, std::span<const float> b) {
  double product = 0, a_squares = 0, b_squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    product += double{a[i]} * b[i];
    a_squares += double{a[i]} * a[i];
    b_squares += double{b[i]} * b[i];
  }
  return product / std::sqrt(a_squares * b_squares);
}

int run_similar(const SimilarOptions& options) {
  const Console console(options.common);
  SentenceModel model(options, console);
  model.note_assumptions(console, SentenceUse::cosine);
  const Encoding a = model.encode(options.a), b = model.encode(options.b);
  const Tensor rows = model.embed({&a, &b});
  const auto size = static_cast<std::size_t>(model.dimension());
  const double result = cosine({rows.data(), size}, {rows.data() + size, size});
  Json object{{"cosine", json_number(result)},
              {"texts", Json::array({json_read_text(options.a), json_read_text(options.b)})},
              {"cut", model.cut()}};
  object.update(to_json(model.nonfinite()));
  write_output(options.common.json ? json_line(object) : fixed(result, 6) + "\n");
  model.note_results(console);
  return exit_ok;
}

}  // namespace

Command add_similar(CLI::App& app) {
  CLI::App* parser = app.add_subcommand("similar", "How much two texts have in common");
  auto options = std::make_shared<SimilarOptions>();
  add_common_options(*parser, options->common);
  add_sentence_options(*parser, *options);
  parser->add_option("A", options->a, "One text")->required()->option_text("TEXT");
  parser->add_option("B", options->b, "The other")->required()->option_text("TEXT");
  parser->footer(details);
  return {parser, [options] { return run_similar(*options); }};
}

}  // namespace headwise::tools
