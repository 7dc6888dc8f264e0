#include "json_model.hpp"

#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace {

constexpr int max_depth = 127;

// Thrown inside this file only.
struct NoJson {};

void append_utf8(std::string& text, std::uint32_t point) {
  const auto byte = [&](std::uint32_t value) { text += static_cast<char>(value); };
  if (point < 0x80) return byte(point);
  if (point < 0x800) {
    byte(0xc0 | point >> 6);
  } else {
    if (point < 0x10000) {
      byte(0xe0 | point >> 12);
    } else {
      byte(0xf0 | point >> 18);
      byte(0x80 | (point >> 12 & 0x3f));
    }
    byte(0x80 | (point >> 6 & 0x3f));
  }
  byte(0x80 | (point & 0x3f));
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Json whole() {
    Json json = value(0);
    space();
    if (at_ != text_.size()) throw NoJson();
    return json;
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool accept(char c) {
    const bool there = at_ < text_.size() && text_[at_] == c;
    at_ += there;
    return there;
  }
  void expect(std::string_view word) {
    for (const char c : word) {
      if (!accept(c)) throw NoJson();
    }
  }
  void space() {
    while (accept(' ') || accept('\t') || accept('\n') || accept('\r')) {
    }
  }

  Json value(int depth) {
    space();
    switch (peek()) {
      case '{':
        return container(depth + 1, Json::Kind::object);
      case '[':
        return container(depth + 1, Json::Kind::array);
      case '"':
        return {Json::Kind::text, string(), {}, {}};
      case 'n':
        return word("null", Json::Kind::null);
      case 't':
        return word("true", Json::Kind::boolean);
      case 'f':
        return word("false", Json::Kind::boolean);
      default:
        return number();
    }
  }

  Json word(std::string_view spelling, Json::Kind kind) {
    expect(spelling);
    return {kind, {}, {}, {}};
  }

  Json container(int depth, Json::Kind kind) {
    if (depth > max_depth) throw NoJson();
    const bool object = kind == Json::Kind::object;
    const char close = object ? '}' : ']';
    Json json{kind, {}, {}, {}};
    ++at_;
    space();
    if (accept(close)) return json;
    do {
      if (object) json.keys.push_back(key());
      json.items.push_back(value(depth));
      space();
    } while (accept(','));
    if (!accept(close)) throw NoJson();
    return json;
  }

  std::string key() {
    space();
    std::string name = string();
    space();
    expect(":");
    return name;
  }

  std::string string() {
    expect("\"");
    std::string result;
    while (!accept('"')) {
      if (at_ == text_.size() || static_cast<unsigned char>(peek()) < 0x20) throw NoJson();
      const char c = text_[at_++];
      if (c == '\\') {
        escape(result);
      } else {
        result += c;
      }
    }
    return result;
  }

  void escape(std::string& result) {
    constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
    if (accept('u')) return append_utf8(result, code_point());
    const std::size_t letter = at_ < text_.size() ? letters.find(text_[at_++]) : std::string_view::npos;
    if (letter == std::string_view::npos) throw NoJson();
    result += meanings[letter];
  }

  std::uint32_t code_point() {
    const std::uint32_t first = four_digits();
    if (first < 0xd800 || first > 0xdfff) return first;
    if (first > 0xdbff) throw NoJson();
    expect("\\u");
    const std::uint32_t second = four_digits();
    if (second < 0xdc00 || second > 0xdfff) throw NoJson();
    return 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
  }

  std::uint32_t four_digits() {
    std::uint32_t number = 0;
    for (int i = 0; i < 4; ++i) {
      const std::size_t digit = std::string_view("0123456789abcdefABCDEF").find(peek());
      if (at_ == text_.size() || digit == std::string_view::npos) throw NoJson();
      number = number * 16 + static_cast<std::uint32_t>(digit < 16 ? digit : digit - 6);
      ++at_;
    }
    return number;
  }

  void digits() {
    if (peek() < '0' || peek() > '9') throw NoJson();
    while (peek() >= '0' && peek() <= '9') ++at_;
  }

  Json number() {
    const std::size_t start = at_;
    accept('-');
    if (!accept('0')) digits();
    if (accept('.')) digits();
    if (accept('e') || accept('E')) {
      if (!accept('+')) accept('-');
      digits();
    }
    std::string spelling(text_.substr(start, at_ - start));
    if (!std::isfinite(std::strtod(spelling.c_str(), nullptr))) throw NoJson();
    return {Json::Kind::number, std::move(spelling), {}, {}};
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<const Json*> Json::all(std::string_view key) const {
  std::vector<const Json*> found;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] == key) found.push_back(&items[i]);
  }
  return found;
}

std::optional<Json> parse_json(std::string_view text) try {
  if (!is_utf8(text)) return std::nullopt;
  return Reader(text).whole();
} catch (const NoJson&) {
  return std::nullopt;
}

// Decodes each sequence and encodes its number again: only the one shortest form comes back the same.
bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    const std::string_view sequence = text.substr(at, length);
    std::uint32_t point = length == 1 ? lead : lead & (0x7fu >> length);
    for (const char c : sequence.substr(1)) point = point << 6 | (static_cast<unsigned char>(c) & 0x3f);
    std::string again;
    append_utf8(again, point);
    if (again != sequence || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) return false;
    at += length;
  }
  return true;
}
