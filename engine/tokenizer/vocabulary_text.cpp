#include "vocabulary_text.hpp"

#include <algorithm>
#include <numeric>

#include "file_bytes.hpp"
#include "headwise/error.hpp"
#include "text.hpp"
#include "unicode.hpp"

namespace headwise {
namespace {

std::string_view without_spaces_behind(std::string_view line) {
  const std::u32string codes = codes_of(line);
  std::size_t end = line.size();
  for (auto code = codes.rbegin(); code != codes.rend() && is_space(*code); ++code) {
    end -= *code < 0x80 ? 1 : *code < 0x800 ? 2 : 3;
  }
  return line.substr(0, end);
}

// Of equal tokens only the last keeps its name.
void drop_repeated(std::vector<VocabularyEntry>& entries) {
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return entries[a].token < entries[b].token; });
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    if (entries[order[i]].token == entries[order[i + 1]].token) entries[order[i]].token.clear();
  }
}

void check_class(const TokenizerClass& given) {
  if (given.has_tokens || given.name.empty()) return;
  for (const char* known : {"ConvBertTokenizer", "ConvBertTokenizerFast"}) {
    if (given.name == known) return;
  }
  throw Error(ErrorCode::unsupported, in_quotes(given.file) + ": the tokenizer_class is " + in_quotes(given.name) +
                                          "; of those with vocab.txt, headwise has BERT's only");
}

}  // namespace

std::vector<VocabularyEntry> parse_vocabulary_text(const std::string& path, const std::string& text) {
  if (!is_utf8(text)) throw Error(ErrorCode::bad_file, in_quotes(path) + ": not UTF-8");
  std::vector<VocabularyEntry> entries;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (entries.size() == max_vocabulary) throw Error(ErrorCode::bad_file, in_quotes(path) + ": too many lines");
    entries.push_back({std::string(without_spaces_behind({text.data() + at, end - at})), entries.size()});
    at = end + 1;
  }
  drop_repeated(entries);
  return entries;
}

TokenSettings read_vocabulary_text(const std::string& path, const TokenizerClass& given) {
  check_class(given);
  TokenSettings result;
  result.file = path;
  result.vocabulary = parse_vocabulary_text(path, read_text(path, max_tokenizer_bytes));
  return result;
}

}  // namespace headwise
