#include "special_tokens.hpp"

namespace headwise {

void check_length(const AddedToken& token, const JsonObject& file) {
  if (codes_of(token.content).size() <= max_added_token) return;
  file.refuse("is longer than " + std::to_string(max_added_token) + " characters", ErrorCode::unsupported);
}

AddedToken read_added_token(const JsonObject& token, Specials specials) {
  AddedToken result;
  result.content = token.text("content").value_or("");
  result.id = -1;
  if (result.content.empty()) token.refuse("has no content");
  check_length(result, token);
  result.single_word = token.flag("single_word", false);
  result.lstrip = token.flag("lstrip", false);
  result.rstrip = token.flag("rstrip", false);
  const bool special = token.flag("special", false) || specials == Specials::all;
  result.normalized = token.flag("normalized", !special);
  return result;
}

Templates bert_templates(std::int64_t cls, std::int64_t sep) {
  return {{{-1, cls, 0}, {0, -1, 0}, {-1, sep, 0}}, {{-1, cls, 0}, {0, -1, 0}, {-1, sep, 0}, {1, -1, 1}, {-1, sep, 1}}};
}

Templates roberta_templates(std::int64_t cls, std::int64_t sep) {
  return {{{-1, cls, 0}, {0, -1, 0}, {-1, sep, 0}},
          {{-1, cls, 0}, {0, -1, 0}, {-1, sep, 0}, {-1, sep, 0}, {1, -1, 0}, {-1, sep, 0}}};
}

}  // namespace headwise
