#include "added_tokens.hpp"

#include <algorithm>

#include "headwise/error.hpp"
#include "text.hpp"
#include "unicode.hpp"

namespace headwise {
namespace {

std::u32string cleaned(const std::string& content, const NormalizerSettings& settings) {
  Characters raw, clean;
  decode_utf8(content, raw);
  normalize(raw, {0, raw.size()}, settings, clean);
  return {clean.codes.begin(), clean.codes.end()};
}

// Where a found token begins and ends with the white space that it takes along. One with lstrip begins at `done` at
// the earliest: nothing is left of it where the token before took all that it stands for.
Span widened(const AddedToken& token, const Characters& text, Span found, std::size_t done, std::size_t end) {
  while (token.lstrip && found.begin > done && is_space(text.codes[found.begin - 1])) --found.begin;
  while (token.rstrip && found.end < end && is_space(text.codes[found.end])) ++found.end;
  if (token.lstrip) found.begin = std::max(found.begin, done);
  return found;
}

[[noreturn]] void refuse_empty(const std::string& token) {
  throw Error(ErrorCode::unsupported,
              "nothing is left of added token " + in_quotes(token) +
                  " once it is cleaned as texts are; take it out, or set its normalized to false");
}

bool stands_alone(const Characters& text, Span found, Span all) {
  const bool before = found.begin > all.begin && is_word_character(text.codes[found.begin - 1]);
  const bool behind = found.end < all.end && is_word_character(text.codes[found.end]);
  return !before && !behind;
}

}  // namespace

AddedTokens::AddedTokens(const std::vector<AddedToken>& tokens, bool normalized, const NormalizerSettings& settings) {
  for (const AddedToken& token : tokens) {
    if (token.normalized != normalized) continue;
    std::u32string content = normalized ? cleaned(token.content, settings) : codes_of(token.content);
    if (content.empty()) refuse_empty(token.content);  // the reference finds it between all characters, or panics
    first_bytes_.set(content[0] & 0xFF);
    entries_.push_back({std::move(content), token});
  }
  std::stable_sort(entries_.begin(), entries_.end(), [](auto& a, auto& b) { return a.content < b.content; });
}

// The entries that agree with the text so far are a range, which narrows with each code point.
const AddedTokens::Entry* AddedTokens::find(const Characters& text, std::size_t at, std::size_t end) const {
  const Entry* longest = nullptr;
  auto first = entries_.begin(), last = entries_.end();
  for (std::size_t i = 0; at + i < end && first != last; ++i) {
    const char32_t c = text.codes[at + i];
    const auto code = [i](const Entry& entry) { return i < entry.content.size() ? entry.content[i] + 1 : char32_t{0}; };
    first =
        std::lower_bound(first, last, c + 1, [&](const Entry& entry, char32_t wanted) { return code(entry) < wanted; });
    last =
        std::upper_bound(first, last, c + 1, [&](char32_t wanted, const Entry& entry) { return wanted < code(entry); });
    if (first != last && first->content.size() == i + 1) longest = &*first;
  }
  return longest;
}

void AddedTokens::split(const Characters& text, Span span, std::vector<Piece>& to) const {
  std::size_t done = span.begin;
  for (std::size_t at = span.begin; at < span.end && !entries_.empty();) {
    const Entry* entry = first_bytes_[text.codes[at] & 0xFF] ? find(text, at, span.end) : nullptr;
    if (entry == nullptr) {
      ++at;
      continue;
    }
    const Span found{at, at + entry->content.size()};
    at = found.end;
    if (entry->token.single_word && !stands_alone(text, found, span)) continue;
    const Span taken = widened(entry->token, text, found, done, span.end);
    if (taken.begin >= taken.end) continue;
    if (done < taken.begin) to.push_back({{done, taken.begin}, -1});
    to.push_back({taken, entry->token.id});
    done = taken.end;  // a token may begin in the white space that the one before took along; the reference takes both
  }
  if (done < span.end) to.push_back({{done, span.end}, -1});
}

}  // namespace headwise
