#include "merged_tokens.hpp"

#include <algorithm>
#include <map>

#include "config_tokens.hpp"
#include "headwise/error.hpp"
#include "text.hpp"

namespace headwise {
namespace {

// Tokens by their contents; of equal ones the first has the place, the last the flags.
class TokenList {
 public:
  explicit TokenList(AddedList tokens) {
    for (AddedToken& token : tokens) put(std::move(token));
  }
  bool has(const std::string& content) const { return places_.contains(content); }
  void put(AddedToken token) {
    const auto [place, is_new] = places_.emplace(token.content, tokens_.size());
    if (is_new) return tokens_.push_back(std::move(token));
    if (token.id == no_id) token.id = tokens_[place->second].id;
    tokens_[place->second] = std::move(token);
  }
  void put_missing(AddedToken token) {
    if (!token.content.empty() && !has(token.content)) put(std::move(token));
  }
  AddedList& tokens() noexcept { return tokens_; }

 private:
  AddedList tokens_{};
  std::map<std::string, std::size_t> places_{};
};

using Ids = std::map<std::string, std::int64_t>;

// Ids that are no ids are refused with the vocabulary; here they only must not overflow.
Ids ids_in(const std::vector<VocabularyEntry>& vocabulary, const AddedList& tokens) {
  Ids ids;
  for (const AddedToken& token : tokens) ids.emplace(token.content, no_id);
  for (const VocabularyEntry& entry : vocabulary) {
    const auto found = ids.find(entry.token);
    if (found != ids.end()) found->second = static_cast<std::int64_t>(std::min<std::uint64_t>(entry.id, INT32_MAX));
  }
  return ids;
}

// Tokens that are there twice in vocab.txt have lost their names but for the last.
std::int64_t count_different(const std::vector<VocabularyEntry>& vocabulary) {
  std::int64_t count = 0, empty = 0;
  for (const VocabularyEntry& entry : vocabulary) ++(entry.token.empty() ? empty : count);
  return count + (empty > 0 ? 1 : 0);
}

// A token outside the vocabulary gets the id behind all others.
void give_ids(TokenSettings& to, const Ids& known) {
  const std::int64_t size = count_different(to.vocabulary);
  std::int64_t next = size;
  for (AddedToken& token : to.added_tokens) {
    const std::int64_t in_vocabulary = known.at(token.content);
    if (in_vocabulary == no_id) token.id = next;
    if (token.id == no_id) token.id = in_vocabulary;
    next = std::max(next, token.id + 1);
  }
}

void check_listed(const AddedList& listed, const Ids& known, const std::string& file, const std::string& vocabulary) {
  for (const AddedToken& token : listed) {
    const std::int64_t id = known.at(token.content);
    if (id == no_id || id == token.id) continue;
    throw Error(ErrorCode::bad_file, in_quotes(file) + ": added token " + in_quotes(token.content) + " has id " +
                                         std::to_string(token.id) + ", in " + in_quotes(vocabulary) + " it is " +
                                         std::to_string(id) + "; give the files of one model");
  }
}

}  // namespace

void add_config_tokens(const ConfigFiles& files, TokenSettings& to) {
  const AddedList specials = named_specials(files), listed = listed_tokens(files, specials, to.added_tokens);
  TokenList list(std::move(to.added_tokens));
  for (const AddedToken& token : listed) list.put(token);
  for (const AddedToken& token : specials) list.put_missing(token);
  const std::size_t named = list.tokens().size();
  for (const AddedToken& token : tokens_of_class(files)) list.put_missing(token);
  to.added_tokens = std::move(list.tokens());
  const Ids known = ids_in(to.vocabulary, to.added_tokens);
  const auto is_nowhere = [&](const AddedToken& token) { return known.at(token.content) == no_id; };
  to.added_tokens.erase(std::remove_if(to.added_tokens.begin() + named, to.added_tokens.end(), is_nowhere),
                        to.added_tokens.end());
  check_listed(listed, known, files.added ? files.added->path() : files.config ? files.config->path() : "", to.file);
  give_ids(to, known);
}

}  // namespace headwise
