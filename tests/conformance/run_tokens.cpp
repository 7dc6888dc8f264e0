// Encodes the texts of a file, for compare_tokens.py. Both files are made of records: a length as u32, then so many
// bytes of a text; for the answer so many numbers as i64. A text's answer is [6, N]: ids, token types, first bytes,
// last bytes, words and texts.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

#include "headwise/tokenizer.hpp"

namespace {

using namespace headwise;

std::vector<std::string> read_texts(const char* path) {
  std::ifstream stream(path, std::ios::binary);
  stream.exceptions(std::ios::badbit);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < bytes.size();) {
    std::uint32_t length = 0;
    std::memcpy(&length, bytes.data() + at, sizeof length);
    texts.push_back(bytes.substr(at + sizeof length, length));
    at += sizeof length + length;
  }
  return texts;
}

void write(std::ofstream& stream, const Encoding& encoding) {
  const auto count = static_cast<std::uint32_t>(6 * encoding.ids.size());
  stream.write(reinterpret_cast<const char*>(&count), sizeof count);
  for (const auto* row : {&encoding.ids, &encoding.token_types, &encoding.starts, &encoding.ends, &encoding.words,
                          &encoding.sequence_ids}) {
    stream.write(reinterpret_cast<const char*>(row->data()), static_cast<std::streamsize>(8 * row->size()));
  }
}

void encode_all(const Tokenizer& tokenizer, const std::vector<std::string>& texts, std::size_t step,
                std::ofstream& to) {
  EncodeOptions options;
  options.max_length = step == 2 ? 40 : std::int64_t{1} << 40;
  for (std::size_t i = 0; i + step <= texts.size(); i += step) {
    write(to, step == 2 ? tokenizer.encode_pair(texts[i], texts[i + 1], options) : tokenizer.encode(texts[i], options));
  }
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 5 || (std::strcmp(arguments[1], "texts") != 0 && std::strcmp(arguments[1], "pairs") != 0)) {
    std::fputs("Usage: run_tokens texts|pairs TOKENIZER TEXTS RESULTS\n  pairs are cut to 40 tokens\n", stderr);
    return 2;
  }
  std::ofstream stream(arguments[4], std::ios::binary);
  stream.exceptions(std::ios::badbit | std::ios::failbit);
  encode_all(Tokenizer::load(arguments[2]), read_texts(arguments[3]), arguments[1][0] == 't' ? 1 : 2, stream);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "run_tokens: %s\n", error.what());
  return 1;
}
