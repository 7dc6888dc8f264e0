#include "token_settings.hpp"

#include <algorithm>

#include "headwise/error.hpp"
#include "text.hpp"

namespace headwise {

std::int64_t id_of(const TokenSettings& settings, const std::string& token) {
  const auto& words = settings.vocabulary;
  const auto word = std::find_if(words.begin(), words.end(), [&](auto& entry) { return entry.token == token; });
  if (word != words.end()) return static_cast<std::int64_t>(word->id);
  const auto& added = settings.added_tokens;
  const auto found = std::find_if(added.begin(), added.end(), [&](auto& entry) { return entry.content == token; });
  if (found != added.end()) return found->id;
  throw Error(ErrorCode::bad_file, "neither the vocabulary nor the added tokens have " + in_quotes(token));
}

void naming_file(const std::string& file, const std::function<void()>& body) try {
  body();
} catch (const Error& error) {
  throw Error(error.code(), in_quotes(file) + ": " + error.what());
}

}  // namespace headwise
