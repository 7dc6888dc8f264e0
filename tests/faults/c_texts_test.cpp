// Tokenizers and encoders in C: memory that runs out is a status, and every handle and output stays as it was.
#include "c_objects.hpp"
#include "each_failure.hpp"
#include "text_folder.hpp"

using namespace headwise;

namespace {

using OwnedEncoder = Owned<headwise_encoder, headwise_encoder_free>;
using OwnedEncoderSession = Owned<headwise_encoder_session, headwise_encoder_session_free>;

constexpr const char* encoder_folder = HEADWISE_TEST_DATA "/encoders/bert";

// make(handle) fails at each of its allocations.
template <class Handle, class Make>
void check_each(const Make& make) {
  const auto once = [&](Fault& fault) {
    Handle handle;
    headwise_status status = HEADWISE_INTERNAL;
    fault([&] { status = make(handle.to()); });
    CHECK(status == (handle.handle == nullptr ? HEADWISE_OUT_OF_MEMORY : HEADWISE_OK));
    CHECK((status == HEADWISE_OK || fault.hit()));
  };
  CHECK(fail_each_allocation(once) > 2);
}

headwise_text text_of(const std::string& text) {
  return {text.data(), static_cast<std::int64_t>(text.size())};
}

}  // namespace

TEST_CASE("out of memory in C: tokenizers, encodings and settings of embeddings") {
  const TextFolder folder;
  const std::string path = folder.path();
  check_each<OwnedTokenizer>([&](headwise_tokenizer** to) { return headwise_tokenizer_load(path.c_str(), to); });
  check_each<OwnedSentence>([&](headwise_sentence** to) { return headwise_sentence_read(path.c_str(), to); });
  OwnedTokenizer tokenizer;
  check_ok(headwise_tokenizer_load(path.c_str(), tokenizer.to()));
  const std::string words = "unaffable [MASK], a", others = "a " + std::string(100, 'b');
  const headwise_text text = text_of(words), pair = text_of(others);
  auto options = ready<headwise_encode_options>();
  for (const headwise_text* second : {static_cast<const headwise_text*>(nullptr), &pair}) {
    options.pair = second;
    check_each<OwnedEncoding>(
        [&](headwise_encoding** to) { return headwise_tokenizer_encode(tokenizer, &text, &options, to); });
  }
}

TEST_CASE("out of memory in C: encoders, their sessions and calls") {
  check_each<OwnedEncoder>([](headwise_encoder** to) { return headwise_encoder_load(encoder_folder, nullptr, to); });
  OwnedEncoder encoder;
  check_ok(headwise_encoder_load(encoder_folder, nullptr, encoder.to()));
  check_each<OwnedEncoderSession>(
      [&](headwise_encoder_session** to) { return headwise_encoder_session_create(encoder, nullptr, to); });
  Tensor ids(DType::i64, {7}), embedding({1, 12});
  Views views;
  auto inputs = ready<headwise_encoder_inputs>();
  auto outputs = ready<headwise_encoder_outputs>();
  inputs.token_ids = views.add(ids);
  outputs.embedding = views.add_mutable(embedding);
  const auto call = [&](Fault& fault) {
    OwnedEncoderSession session;
    check_ok(headwise_encoder_session_create(encoder, nullptr, session.to()));
    headwise_status status = HEADWISE_INTERNAL;
    fault([&] { status = headwise_encoder_session_run(session, &inputs, &outputs); });
    CHECK((status == HEADWISE_OK || (fault.hit() && status == HEADWISE_OUT_OF_MEMORY)));
    check_ok(headwise_encoder_session_run(session, &inputs, &outputs));
  };
  CHECK(fail_each_allocation(call) > 2);
}
