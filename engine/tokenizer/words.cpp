#include "words.hpp"

#include "unicode.hpp"

namespace headwise {
namespace {

void drop_behind(Tokens& tokens, std::size_t size) {
  for (auto* list : {&tokens.ids, &tokens.starts, &tokens.ends, &tokens.words}) list->resize(size);
}

void add_word(const Characters& text, Span word, const Vocabulary& vocabulary, const WordSettings& settings,
              Tokens& to) {
  const std::size_t before = to.size();
  ++to.num_words;
  const bool too_long = word.size() > settings.max_word;
  for (std::size_t at = word.begin; !too_long && at < word.end;) {
    const auto piece = vocabulary.longest({text.codes.data() + at, word.end - at}, at > word.begin);
    if (piece.length == 0) {
      drop_behind(to, before);
      break;
    }
    to.add(piece.id, text.starts[at], text.ends[at + piece.length - 1]);
    at += piece.length;
  }
  if (to.size() == before) to.add(settings.unknown, text.starts[word.begin], text.ends[word.end - 1]);
}

}  // namespace

void Tokens::add(std::int64_t id, std::uint32_t start, std::uint32_t end) {
  ids.push_back(id);
  starts.push_back(start);
  ends.push_back(end);
  words.push_back(num_words - 1);
}

void add_words(const Characters& text, Span span, const Vocabulary& vocabulary, const WordSettings& settings,
               Tokens& to) {
  Span word{span.begin, span.begin};
  const auto end_word = [&](std::size_t next) {
    if (word.size() > 0) add_word(text, word, vocabulary, settings, to);
    word = {next, next};
  };
  for (std::size_t i = span.begin; i < span.end; ++i) {
    const char32_t c = text.codes[i];
    if (is_space(c)) {
      end_word(i + 1);
    } else if (is_punctuation(c)) {
      end_word(i);
      word.end = i + 1;
      end_word(i + 1);
    } else {
      word.end = i + 1;
    }
  }
  end_word(span.end);
}

}  // namespace headwise
