#include "boundary.hpp"
#include "handles.hpp"
#include "structs.hpp"

using namespace headwise::capi;

namespace {

std::string_view view_of(const char* name, const headwise_text& text) {
  const auto bytes = read_list(name, text.bytes, text.count);
  return {bytes.data(), bytes.size()};
}

}  // namespace

headwise_status headwise_tokenizer_load(const char* path, headwise_tokenizer** tokenizer) {
  return guard([&] {
    auto& result = deref("tokenizer", tokenizer);
    result = new headwise_tokenizer{headwise::Tokenizer::load(read_text("path", path))};
  });
}

void headwise_tokenizer_free(headwise_tokenizer* tokenizer) {
  delete tokenizer;
}

headwise_status headwise_tokenizer_info_get(const headwise_tokenizer* tokenizer, headwise_tokenizer_info* info) {
  return guard([&] {
    const headwise::Tokenizer& t = deref("tokenizer", tokenizer).tokenizer;
    write_struct<headwise_tokenizer_info>("info", info, {0, t.vocabulary_size(), t.max_length()});
  });
}

headwise_status headwise_tokenizer_token(const headwise_tokenizer* tokenizer, int64_t id, const char** token) {
  return guard([&] {
    auto& result = deref("token", token);
    const headwise::Tokenizer& t = deref("tokenizer", tokenizer).tokenizer;
    check_range("id", id, t.vocabulary_size());
    result = t.token(id).c_str();
  });
}

headwise_status headwise_tokenizer_find(const headwise_tokenizer* tokenizer, const char* token, int64_t* id) {
  return guard([&] {
    auto& result = deref("id", id);
    result = deref("tokenizer", tokenizer).tokenizer.id(read_text("token", token));
  });
}

headwise_status headwise_tokenizer_encode(const headwise_tokenizer* tokenizer, const headwise_text* text,
                                          const headwise_encode_options* options, headwise_encoding** encoding) {
  return guard([&] {
    auto& result = deref("encoding", encoding);
    const headwise::Tokenizer& t = deref("tokenizer", tokenizer).tokenizer;
    const std::string_view bytes = view_of("text", deref("text", text));
    const headwise_encode_options given = read_options(options);
    const headwise::EncodeOptions encode{given.max_length, !read_flag("no_special_tokens", given.no_special_tokens)};
    result = new headwise_encoding{given.pair == nullptr ? t.encode(bytes, encode)
                                                         : t.encode_pair(bytes, view_of("pair", *given.pair), encode)};
  });
}

void headwise_encoding_free(headwise_encoding* encoding) {
  delete encoding;
}

headwise_status headwise_encoding_get(const headwise_encoding* encoding, headwise_encoding_info* info) {
  return guard([&] {
    const headwise::Encoding& e = deref("encoding", encoding).encoding;
    write_struct<headwise_encoding_info>("info", info,
                                         {0, count_of(e.ids), e.full_length, e.ids.data(), e.token_types.data(),
                                          e.starts.data(), e.ends.data(), e.words.data(), e.sequence_ids.data()});
  });
}

headwise_status headwise_sentence_read(const char* folder, headwise_sentence** sentence) {
  return guard([&] {
    auto& result = deref("sentence", sentence);
    result = new headwise_sentence{headwise::read_sentence_settings(read_text("folder", folder))};
  });
}

void headwise_sentence_free(headwise_sentence* sentence) {
  delete sentence;
}

headwise_status headwise_sentence_get(const headwise_sentence* sentence, headwise_sentence_info* info) {
  return guard([&] {
    const headwise::SentenceSettings& s = deref("sentence", sentence).settings;
    write_struct<headwise_sentence_info>(
        "info", info,
        {0, static_cast<headwise_pooling>(s.pooling), s.normalize ? 1 : 0, s.max_length, s.prompt.c_str(),
         s.pooling_source.c_str(), s.normalize_source.c_str(), s.max_length_source.c_str(), s.prompt_source.c_str()});
  });
}
