#include "view_data.hpp"

#include <nlohmann/json.hpp>

#include "base64.hpp"
#include "json_output.hpp"
#include "weight_codes.hpp"

namespace headwise::tools {
namespace {

constexpr auto hint =
    "Point at a token or a cell, or go there with Tab and the arrow keys, to read weights. A click holds it; Esc lets "
    "go.";

constexpr auto rounding =
    "Each weight was rounded to four significant digits, and to 0 below 0.0000001, when the page was made; the figures "
    "above come from the weights before that. Averages are made of rounded weights and shown with three digits. Lines "
    "and cells are drawn from the same numbers; a cell smaller than a pixel gives the largest weight that the pixel "
    "holds, and thumbnails have at most 64 pixels a side. Colours follow the square root of the weight. "
    "Weights that are not numbers (NaN) have a colour of their own, a cross where there is room, and a dashed line; a "
    "pixel that holds one has that colour.";

constexpr auto rule_order =
    "Of several that hold, the one with the largest share is named. Thresholds are the same for all models; a pattern "
    "is a description of this text, not of the head.";

struct Explanation {
  const char *field, *name, *text;
};
constexpr Explanation explanations[] = {
    {"entropy", "entropy",
     "−Σ w·log2 w of a token’s weights w, the mean over all tokens, in bits: 0 when each looks at one token only, and "
     "the most, log2 of the number of tokens, when each looks at all alike."},
    {"distance", "mean distance", "Σ w·|distance in tokens|, the mean over all tokens."},
    {"share", "on …",
     "The part of a token’s weight that goes there, the mean over all tokens (on the previous and the "
     "next: over those that have one)."},
    {"contribution", "contribution",
     "The Euclidean norm of what the head adds to the output of its layer’s attention at a token; the mean over all "
     "tokens, and the rank of that in its layer. A head may attend strongly and yet add little."},
    {"received", "received", "The weights that a token gets, the mean over all tokens that look."},
};

std::string ascii(const Json& object) {
  std::string text = object.dump(-1, ' ', true), safe;
  for (const char letter : text) {
    if (letter == '<') {
      safe += "\\u003c";
    } else {
      safe += letter;
    }
  }
  return safe;
}

Json texts_json(const std::vector<std::string>& texts) {
  Json array = Json::array();
  for (const std::string& text : texts) array.push_back(json_text(text));
  return array;
}

Json optional_text(const std::optional<std::string>& text) {
  return text ? json_text(*text) : Json(nullptr);
}

Json statistics_json(const HeadWeights& weights) {
  Json layers = Json::array();
  for (const std::vector<HeadStatistics>& layer : all_statistics(weights)) {
    Json heads = Json::array();
    for (const HeadStatistics& statistics : layer) {
      Json& head = heads.emplace_back(Json::object());
      for (const HeadFigure& figure : head_figures()) head[figure.name] = json_number(statistics.*figure.value);
    }
    layers.push_back(std::move(heads));
  }
  return layers;
}

Json rules_json(const TokenKinds& kinds) {
  Json rules = Json::array();
  for (const HeadPattern& pattern : head_patterns()) {
    rules.push_back({{"name", pattern.name},
                     {"field", pattern.figure.name},
                     {"at_least", pattern.at_least},
                     {"rank", pattern.rank},
                     {"rule", pattern_rule(pattern, kinds)}});
  }
  return rules;
}

std::string thumbnails(const HeadWeights& weights) {
  std::vector<std::uint8_t> pixels;
  for (std::size_t layer = 0; layer < weights.layers.size(); ++layer) {
    for (std::size_t head = 0; head < static_cast<std::size_t>(weights.heads); ++head) {
      add_thumbnail(pixels, weights.weights(layer, head), weights.count());
    }
  }
  return base64_of(pixels.data(), pixels.size());
}

Json contribution_json(const Tensor& norms) {
  if (!norms.given()) return nullptr;
  return base64_of(norms.data(), static_cast<std::size_t>(norms.size()));
}

void add_words(Json& object, const TokenKinds& kinds) {
  object["hint"] = hint;
  object["rounding"] = rounding;
  object["rule_order"] = rule_order;
  object["rules"] = rules_json(kinds);
  object["why_no_patterns"] = why_no_patterns(kinds);
  object["explanations"] = Json::array();
  for (const Explanation& explanation : explanations) {
    object["explanations"].push_back({explanation.name, explanation.text});
    object["meanings"][explanation.field] = explanation.text;
  }
}

}  // namespace

std::string view_data(const HeadWeights& weights) {
  const TokenKinds kinds(weights.tokens);
  Json object{{"title", json_text(weights.title)},
              {"text", optional_text(weights.text)},
              {"pair", optional_text(weights.pair)},
              {"tokens", texts_json(weights.tokens)},
              {"segments", weights.segments},
              {"layers", weights.layers},
              {"heads", weights.heads},
              {"notes", texts_json(weights.notes)},
              {"version", version()},
              {"special", {{"first", kinds.first_name}, {"separator", kinds.separator_name}}}};
  object["thumbnail_size"] = thumbnail_size(weights.count());
  object["thumbnails"] = thumbnails(weights);
  object["statistics"] = statistics_json(weights);
  object["contribution"] = contribution_json(weights.contribution);
  add_words(object, kinds);
  return ascii(object);
}

}  // namespace headwise::tools
