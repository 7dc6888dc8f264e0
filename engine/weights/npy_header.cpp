#include "npy_header.hpp"

#include <charconv>

#include "text.hpp"

namespace headwise {
namespace {

struct TypeRow {
  std::string_view name;  // without the byte order
  DType dtype;
};

constexpr TypeRow type_table[] = {{"f4", DType::f32}, {"f8", DType::f64}, {"f2", DType::f16}, {"i8", DType::i64},
                                  {"i4", DType::i32}, {"i2", DType::i16}, {"i1", DType::i8},  {"u8", DType::u64},
                                  {"u4", DType::u32}, {"u2", DType::u16}, {"u1", DType::u8},  {"b1", DType::boolean}};

class DictionaryParser {
 public:
  DictionaryParser(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  NpyHeader parse() {
    expect('{');
    while (!accept('}')) {
      entry();
      if (accept('}')) break;
      expect(',');
    }
    skip_space();
    if (position_ != text_.size()) refuse("text behind the dictionary");
    if (!descr_seen_ || !order_seen_ || !shape_seen_) refuse("descr, fortran_order or shape is missing");
    return header_;
  }

 private:
  void entry();
  void descr();
  void fortran_order();
  void shape();
  std::int64_t size();
  std::string_view string();

  void skip_space() {
    while (position_ < text_.size() && std::string_view(" \t\r\n\f").find(text_[position_]) != std::string_view::npos) {
      ++position_;
    }
  }
  char peek() {
    skip_space();
    return position_ < text_.size() ? text_[position_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c || position_ == text_.size()) return false;
    ++position_;
    return true;
  }
  bool accept_word(std::string_view word) {
    skip_space();
    if (text_.substr(position_, word.size()) != word) return false;
    position_ += word.size();
    return true;
  }
  void expect(char c) {
    if (!accept(c))
      refuse("expected " + std::string(1, c) + " at byte " + std::to_string(position_) + " of the header");
  }
  void once(bool& seen, std::string_view key) {
    if (seen) refuse("duplicate key " + in_quotes(key));
    seen = true;
  }
  [[noreturn]] void refuse(const std::string& problem, ErrorCode code = ErrorCode::bad_file) const {
    throw Error(code, where_ + ": npy header: " + problem);
  }

  std::string_view text_;
  const std::string& where_;
  std::size_t position_ = 0;
  bool descr_seen_ = false, order_seen_ = false, shape_seen_ = false;
  NpyHeader header_;
};

void DictionaryParser::entry() {
  const std::string_view key = string();
  expect(':');
  if (key == "descr") {
    once(descr_seen_, key);
    descr();
  } else if (key == "fortran_order") {
    once(order_seen_, key);
    fortran_order();
  } else if (key == "shape") {
    once(shape_seen_, key);
    shape();
  } else {
    refuse("unknown key " + in_quotes(key));
  }
}

std::string_view DictionaryParser::string() {
  const char quote = peek();
  if (quote != '\'' && quote != '"') refuse("expected a string at byte " + std::to_string(position_));
  const std::size_t end = text_.find(quote, position_ + 1);
  if (end == std::string_view::npos) refuse("a string does not end");
  const std::string_view content = text_.substr(position_ + 1, end - position_ - 1);
  if (content.find('\\') != std::string_view::npos) refuse("escapes in strings are not read");
  position_ = end + 1;
  return content;
}

void DictionaryParser::descr() {
  if (peek() == '[') refuse("structured arrays are not read", ErrorCode::unsupported);
  const std::string_view name = string();
  const char order = name.empty() ? '\0' : name[0];
  const std::string_view type = name.substr(name.empty() ? 0 : 1);
  for (const TypeRow& row : type_table) {
    if (row.name != type || std::string_view("<>=|").find(order) == std::string_view::npos) continue;
    if (order == '|' && dtype_size(row.dtype) > 1) break;
    header_.dtype = row.dtype;
    header_.big_endian = order == '>';
    return;
  }
  refuse("dtype " + in_quotes(name) + " is not read; only f2, f4, f8, integers and b1 are", ErrorCode::unsupported);
}

void DictionaryParser::fortran_order() {
  if (accept_word("True")) {
    header_.fortran_order = true;
  } else if (!accept_word("False")) {
    refuse("fortran_order is neither True nor False");
  }
}

std::int64_t DictionaryParser::size() {
  skip_space();
  std::int64_t value = 0;
  const char* begin = text_.data() + position_;
  const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
  if (error == std::errc::result_out_of_range) refuse("a size of the shape exceeds 2^63 − 1");
  const bool leading_zero = end - begin > 1 && *begin == '0';  // no number in Python
  if (error != std::errc() || leading_zero) refuse("the shape holds something else than integers");
  if (value < 0 || *begin == '-') refuse("the shape holds the negative size " + std::string(begin, end));
  position_ += static_cast<std::size_t>(end - begin);
  accept('L');
  return value;
}

// (), (3,) and (3, 4): without the comma, (3) is a number and no tuple.
void DictionaryParser::shape() {
  if (!accept('(')) refuse("the shape is no tuple");
  std::int64_t sizes[max_rank];
  std::size_t rank = 0;
  bool comma = true;
  while (!accept(')')) {
    if (!comma) expect(',');
    if (rank == static_cast<std::size_t>(max_rank)) {
      refuse("more than " + std::to_string(max_rank) + " axes", ErrorCode::unsupported);
    }
    sizes[rank++] = size();
    comma = accept(',');
  }
  if (rank == 1 && !comma) refuse("the shape is no tuple");
  header_.shape = Dims(sizes, rank);
}

}  // namespace

NpyHeader parse_npy_header(std::string_view text, const std::string& where) {
  return DictionaryParser(text, where).parse();
}

std::string npy_dictionary(DType dtype, const Dims& shape) {
  std::string type;
  for (const TypeRow& row : type_table) {
    if (row.dtype == dtype) type = (dtype_size(dtype) == 1 ? "|" : "<") + std::string(row.name);
  }
  if (type.empty()) throw Error(ErrorCode::unsupported, std::string(".npy has no type for ") + dtype_name(dtype));
  std::string sizes;
  for (const std::int64_t size : shape) sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
  if (shape.rank() == 1) sizes += ",";
  return "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + sizes + "), }";
}

}  // namespace headwise
