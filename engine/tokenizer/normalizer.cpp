#include "normalizer.hpp"

#include <algorithm>

#include "unicode.hpp"

namespace headwise {
namespace {

class Normalizer {
 public:
  Normalizer(const NormalizerSettings& settings, Characters& to) : settings_(settings), to_(to), marks_(to.size()) {}

  void add(char32_t c, std::uint32_t start, std::uint32_t end) {
    start_ = start;
    end_ = end;
    if (c < 0x80) return add_ascii(c);
    if (settings_.clean_text) {
      if (c == replacement_character || is_control(c)) return;
      if (is_space(c)) c = ' ';
    }
    const bool apart = settings_.handle_chinese_chars && is_chinese(c);
    if (apart) put_starter(' ');
    settings_.strip_accents ? add_stripped(c) : put_lower(c);
    if (apart) put_starter(' ');
  }
  void finish() { order_marks(); }

 private:
  // Most text is ASCII, which neither decomposes nor combines.
  void add_ascii(char32_t c) {
    if (settings_.clean_text && (c < ' ' || c == 0x7F)) {
      if (c != '\t' && c != '\n' && c != '\r') return;
      c = ' ';
    }
    put_starter(settings_.lowercase && c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
  }

  void add_stripped(char32_t c) {
    Decomposition room;
    for (const char32_t part : decompose(c, room)) {
      const int order = combining_class(part);
      if (order == 0) order_marks();
      if (!is_nonspacing_mark(part)) put_lower(part);
      if (order == 0) marks_ = to_.size();
    }
  }

  void put(char32_t c) { to_.add(c, start_, end_); }
  void put_starter(char32_t c) {
    order_marks();
    put(c);
    marks_ = to_.size();
  }
  void put_lower(char32_t c) {
    if (!settings_.lowercase) return put(c);
    Decomposition room;
    for (const char32_t part : lower(c, room)) put(part);
  }

  // Canonical order (Unicode 15.0, section 3.11) of the marks behind the last starter. Few languages have two that are
  // not dropped. The bytes stay in their places, so that those of a token are one stretch of the text.
  void order_marks() {
    if (!settings_.strip_accents || to_.size() - marks_ < 2) return;
    std::stable_sort(to_.codes.begin() + static_cast<std::ptrdiff_t>(marks_), to_.codes.end(),
                     [](char32_t a, char32_t b) { return combining_class(a) < combining_class(b); });
  }

  const NormalizerSettings& settings_;
  Characters& to_;
  std::size_t marks_;  // where those behind the last starter begin in to_
  std::uint32_t start_ = 0, end_ = 0;
};

}  // namespace

void normalize(const Characters& from, Span span, const NormalizerSettings& settings, Characters& to) {
  Normalizer normalizer(settings, to);
  for (std::size_t i = span.begin; i < span.end; ++i) normalizer.add(from.codes[i], from.starts[i], from.ends[i]);
  normalizer.finish();
}

}  // namespace headwise
