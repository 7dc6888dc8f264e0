#include "special_tokens.hpp"

namespace headwise {

AddedToken read_added_token(const JsonObject& token) {
  AddedToken result;
  result.content = token.text("content").value_or("");
  if (result.content.empty()) token.refuse("has no content");
  if (codes_of(result.content).size() > max_added_token) {
    token.refuse("is longer than " + std::to_string(max_added_token) + " characters", ErrorCode::unsupported);
  }
  result.single_word = token.flag("single_word", false);
  result.lstrip = token.flag("lstrip", false);
  result.rstrip = token.flag("rstrip", false);
  result.normalized = token.flag("normalized", !token.flag("special", false));
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
