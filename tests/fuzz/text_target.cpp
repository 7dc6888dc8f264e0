// A text in any bytes, encoded by tokenizers that clean it in different ways: places are within it and in order. The
// same bytes as a vocab.txt are refused, or make a tokenizer that holds to that too.

#include "headwise/tokenizer.hpp"
#include "target.hpp"

using namespace headwise;

namespace {

constexpr const char* names[] = {"added", "lower_accents"};

void check(const Tokenizer& tokenizer, std::string_view text) {
  const Encoding encoding = tokenizer.encode(text, {1 << 20, false});
  std::int64_t word = 0;
  for (std::size_t i = 0; i < encoding.ids.size(); ++i) {
    require(encoding.ids[i] >= 0 && encoding.ids[i] < tokenizer.vocabulary_size(), "ids are those of the vocabulary");
    require(encoding.starts[i] >= 0 && encoding.starts[i] < encoding.ends[i] &&
                encoding.ends[i] <= static_cast<std::int64_t>(text.size()),
            "a token covers bytes of the text");
    require(encoding.words[i] >= word && encoding.words[i] <= word + 1, "words are counted one by one");
    word = encoding.words[i];
  }
  const Encoding cut = tokenizer.encode(text, {8});
  require(cut.ids.size() <= 8, "a text is cut to its limit");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Tokenizer tokenizers[] = {Tokenizer::load(HEADWISE_TEST_DATA "/tokens/" + std::string(names[0])),
                                         Tokenizer::load(HEADWISE_TEST_DATA "/tokens/" + std::string(names[1]))};
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const Tokenizer& tokenizer : tokenizers) accepted([&] { check(tokenizer, text); });
  static const InputFolder folder("vocab.txt");
  folder.write(text);
  accepted([&] { check(Tokenizer::load(folder.input()), text); });
  return 0;
}
