#include "headwise/tokenizer.hpp"

#include "cut.hpp"
#include "model_folder.hpp"
#include "out_of_memory.hpp"
#include "text.hpp"
#include "tokenizer_state.hpp"

namespace headwise {
namespace {

// Room for the tokens of the texts themselves.
std::size_t room_for(const Tokenizer& tokenizer, const Template& parts, const EncodeOptions& options) {
  if (options.max_length < 0) {
    throw Error(ErrorCode::invalid_argument, "max_length is negative: " + std::to_string(options.max_length));
  }
  const auto length = static_cast<std::size_t>(options.max_length > 0 ? options.max_length : tokenizer.max_length());
  const std::size_t special = options.special_tokens ? num_special(parts) : 0;
  if (length < special) {
    throw Error(ErrorCode::invalid_argument,
                "max_length is " + std::to_string(length) + ", but the special tokens are " + std::to_string(special));
  }
  return length - special;
}

void keep(Tokens& tokens, std::size_t count) {
  for (auto* list : {&tokens.ids, &tokens.starts, &tokens.ends, &tokens.words}) list->resize(count);
}

Encoding finish(const Template& parts, Tokens& text, Tokens& pair, std::size_t room, bool special_tokens) {
  const std::size_t special = special_tokens ? num_special(parts) : 0;
  const std::size_t full = text.size() + pair.size() + special;
  const auto [first, second] = cut_longest_first(text.size(), pair.size(), room);
  keep(text, first);
  keep(pair, second);
  Encoding result = put_together(parts, {&text, &pair}, special_tokens);
  result.full_length = static_cast<std::int64_t>(full);
  return result;
}

}  // namespace

Tokenizer::Tokenizer(std::shared_ptr<const State> state) noexcept : state_(std::move(state)) {}

Tokenizer Tokenizer::load(const std::string& path) try {
  return Tokenizer(std::make_shared<const State>(read_tokenizer_files(path)));
} catch (const std::bad_alloc&) {
  throw_out_of_memory([&] { return in_quotes(path) + ": no memory for its tokenizer"; });
}

Encoding Tokenizer::encode(std::string_view text, const EncodeOptions& options) const try {
  const std::size_t room = room_for(*this, state_->templates.single, options);
  Tokens tokens = state_->tokenize(text), none;
  return finish(state_->templates.single, tokens, none, room, options.special_tokens);
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory to encode a text");
}

Encoding Tokenizer::encode_pair(std::string_view text, std::string_view pair, const EncodeOptions& options) const try {
  const std::size_t room = room_for(*this, state_->templates.pair, options);
  Tokens first = state_->tokenize(text), second = state_->tokenize(pair);
  return finish(state_->templates.pair, first, second, room, options.special_tokens);
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory to encode a pair of texts");
}

std::int64_t Tokenizer::vocabulary_size() const noexcept {
  return state_->vocabulary.size();
}

const std::string& Tokenizer::token(std::int64_t id) const try {
  if (id < 0 || id >= vocabulary_size()) {
    throw Error(ErrorCode::invalid_argument,
                "token id " + std::to_string(id) + " is outside 0 to " + std::to_string(vocabulary_size() - 1));
  }
  return state_->vocabulary.token(id);
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory to refuse a token id");
}

std::int64_t Tokenizer::id(std::string_view token) const try {
  return state_->vocabulary.id(token);
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory to look a token up");
}

std::int64_t Tokenizer::max_length() const noexcept {
  return state_->max_length;
}

}  // namespace headwise
