#include "normalizer.hpp"

#include <algorithm>
#include <tuple>

#include "unicode.hpp"

namespace headwise {
namespace {

// A mark behind a starter; it may be one that is dropped.
struct Mark {
  char32_t code;
  int order;
};

class Normalizer {
 public:
  Normalizer(const NormalizerSettings& settings, Characters& to) : settings_(settings), to_(to) {}

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
  void finish() { put_marks(); }

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
      if (order == 0) {
        put_marks();
        if (!is_nonspacing_mark(part)) put_lower(part);
      } else {
        marks_.push_back({part, order});
        mark_places_.push_back({start_, end_});
      }
    }
  }

  void put(char32_t c) { to_.add(c, start_, end_); }
  void put_starter(char32_t c) {
    if (!marks_.empty()) put_marks();
    put(c);
  }
  void put_lower(char32_t c) {
    if (!settings_.lowercase) return put(c);
    Decomposition room;
    for (const char32_t part : lower(c, room)) put(part);
  }

  // Canonical order (Unicode 15.0, section 3.11). The bytes stay in their places, as in the reference, so that those of
  // a token are one stretch of the text.
  void put_marks() {
    std::stable_sort(marks_.begin(), marks_.end(), [](Mark a, Mark b) { return a.order < b.order; });
    const Place here{start_, end_};
    for (std::size_t i = 0; i < marks_.size(); ++i) {
      std::tie(start_, end_) = mark_places_[i];
      if (!is_nonspacing_mark(marks_[i].code)) put_lower(marks_[i].code);
    }
    std::tie(start_, end_) = here;
    marks_.clear();
    mark_places_.clear();
  }

  using Place = std::pair<std::uint32_t, std::uint32_t>;  // the bytes that a code point comes from
  const NormalizerSettings& settings_;
  Characters& to_;
  std::vector<Mark> marks_{};  // behind the last starter
  std::vector<Place> mark_places_{};
  std::uint32_t start_ = 0, end_ = 0;
};

}  // namespace

void normalize(const Characters& from, Span span, const NormalizerSettings& settings, Characters& to) {
  Normalizer normalizer(settings, to);
  for (std::size_t i = span.begin; i < span.end; ++i) normalizer.add(from.codes[i], from.starts[i], from.ends[i]);
  normalizer.finish();
}

}  // namespace headwise
