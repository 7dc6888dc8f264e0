// tokenizer.json: what is no JSON object is refused, and what is loaded encodes any text within its vocabulary.

#include "headwise/tokenizer.hpp"
#include "json_model.hpp"
#include "target.hpp"

using namespace headwise;

namespace {

void check(const Tokenizer& tokenizer, const Encoding& encoding, std::size_t bytes, std::int64_t texts) {
  const std::size_t count = encoding.ids.size();
  require(encoding.token_types.size() == count && encoding.starts.size() == count && encoding.ends.size() == count &&
              encoding.words.size() == count && encoding.sequence_ids.size() == count,
          "all lists of an encoding are of one length");
  require(encoding.full_length >= static_cast<std::int64_t>(count), "cutting makes nothing longer");
  for (std::size_t i = 0; i < count; ++i) {
    require(encoding.ids[i] >= 0 && encoding.ids[i] < tokenizer.vocabulary_size(), "ids are those of the vocabulary");
    require(encoding.starts[i] >= 0 && encoding.starts[i] <= encoding.ends[i] &&
                encoding.ends[i] <= static_cast<std::int64_t>(bytes),
            "a token covers bytes of the text");
    require(encoding.sequence_ids[i] >= -1 && encoding.sequence_ids[i] < texts, "a token is of a text that there is");
    require((encoding.sequence_ids[i] < 0) == (encoding.words[i] < 0), "a token put in is of no word");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const InputFolder folder("tokenizer.json");
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  folder.write(text);
  const auto model = parse_json(text);
  accepted([&] {
    const Tokenizer tokenizer = Tokenizer::load(folder.input());
    require(model && model->kind == Json::Kind::object, "only a JSON object is read");
    // The file itself is a text as good as any, and holds its own tokens.
    check(tokenizer, tokenizer.encode(text, {1 << 20}), size, 1);
    check(tokenizer, tokenizer.encode_pair(text, text, {1 << 20, false}), size, 2);
  });
  return 0;
}
