#include "tokenizer_state.hpp"

#include <algorithm>

#include "text.hpp"
#include "unicode_library.hpp"

namespace headwise {
namespace {

// The added tokens that the vocabulary does not have itself.
std::vector<VocabularyEntry> outside(const Vocabulary& vocabulary, const std::vector<AddedToken>& tokens) {
  std::vector<VocabularyEntry> result;
  for (const AddedToken& token : tokens) {
    const std::int64_t known = vocabulary.id(token.content);
    if (known < 0) result.push_back({token.content, static_cast<std::uint64_t>(token.id)});
    if (known < 0 || known == token.id) continue;
    throw Error(ErrorCode::bad_file, "added token " + in_quotes(token.content) + " has id " + std::to_string(token.id) +
                                         ", in the vocabulary it is " + std::to_string(known));
  }
  return result;
}

void check_templates(const Templates& templates, const Vocabulary& vocabulary) {
  for (const Template* parts : {&templates.single, &templates.pair}) {
    for (const TemplatePart& part : *parts) {
      if (part.sequence >= 0 || part.id < vocabulary.size()) continue;
      throw Error(ErrorCode::bad_file, "a special token has id " + std::to_string(part.id) +
                                           ", beyond the vocabulary of " + std::to_string(vocabulary.size()));
    }
  }
}

}  // namespace

Tokenizer::State::State(TokenSettings settings)
    : normalizer(settings.normalizer), templates(settings.templates), max_length(settings.max_length) {
  utf8proc();  // says now that it is not there
  naming_file(settings.file, [&] { fill(settings); });
}

void Tokenizer::State::fill(TokenSettings& settings) {
  if (settings.added_tokens.size() > max_added_tokens) {
    throw Error(ErrorCode::unsupported, "more than " + std::to_string(max_added_tokens) + " added tokens");
  }
  words = {id_of(settings, settings.unknown), settings.max_word};
  vocabulary = Vocabulary(std::move(settings.vocabulary), settings.prefix);
  vocabulary.add_outside(outside(vocabulary, settings.added_tokens));
  raw = AddedTokens(settings.added_tokens, false, normalizer);
  cleaned = AddedTokens(settings.added_tokens, true, normalizer);
  check_templates(templates, vocabulary);
}

Tokens Tokenizer::State::tokenize(std::string_view text) const {
  if (text.size() > UINT32_MAX) throw Error(ErrorCode::invalid_argument, "a text has 4 GiB or more");
  Characters given, clean;
  decode_utf8(text, given);
  Tokens result;
  const auto add_added = [&](const Characters& characters, const Piece& piece) {
    ++result.num_words;
    result.add(piece.id, characters.starts[piece.span.begin], characters.ends[piece.span.end - 1]);
  };
  std::vector<Piece> pieces, parts;
  raw.split(given, {0, given.size()}, pieces);
  for (const Piece& piece : pieces) {
    if (piece.id >= 0) {
      add_added(given, piece);
      continue;
    }
    clean.clear();
    parts.clear();
    normalize(given, piece.span, normalizer, clean);
    cleaned.split(clean, {0, clean.size()}, parts);
    for (const Piece& part : parts) {
      part.id >= 0 ? add_added(clean, part) : add_words(clean, part.span, vocabulary, words, result);
    }
  }
  return result;
}

}  // namespace headwise
