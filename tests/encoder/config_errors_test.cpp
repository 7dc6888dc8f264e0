// config.json of a stranger.
#include <doctest/doctest.h>

#include "expect_error.hpp"
#include "models.hpp"

using namespace headwise;

namespace {

// Entries behind a good config; a key that is there already would be one too many.
struct Trial {
  const char* entry;
  std::vector<std::string> words;
};

const std::string sizes = R"("num_hidden_layers":3,"num_attention_heads":4)";

void expect(const ModelFolder& folder, ErrorCode code, const std::vector<std::string>& words) {
  CAPTURE(folder.config);
  expect_error(code, words, [&] { folder.load(); });
}

}  // namespace

TEST_CASE("config errors: values of another kind, negative and huge ones") {
  ModelFolder folder;
  const Trial trials[] = {
      {R"("hidden_size":"64")", {"hidden_size", "positive integer"}},
      {R"("hidden_size":-64)", {"hidden_size", "positive integer"}},
      {R"("hidden_size":64.0)", {"hidden_size", "positive integer"}},
      {R"("hidden_size":0)", {"hidden_size", "positive integer"}},
      {R"("hidden_size":[64])", {"hidden_size", "positive integer"}},
      {R"("hidden_size":99999999999999999999)", {"hidden_size", "positive integer"}},
      {R"("hidden_size":9223372036854775807)", {"word_embeddings", "9223372036854775807"}},
      {R"("hidden_size":63)", {"word_embeddings", "[50, 64]", "[any, 63]"}},
      {R"("intermediate_size":299)", {"intermediate.dense.weight", "[300, 64]", "[299, 64]"}},
      {R"("vocab_size":51)", {"word_embeddings", "[50, 64]", "[51, any]"}},
      {R"("max_position_embeddings":301)", {"position_embeddings", "[301, 64]"}},
      {R"("type_vocab_size":3)", {"token_type_embeddings", "[3, 64]"}},
      {R"("type_vocab_size":0)", {"type_vocab_size is 0", "token_type_embeddings"}},
      {R"("type_vocab_size":-1)", {"type_vocab_size", "0 or more"}},
      {R"("type_vocab_size":1.5)", {"type_vocab_size", "0 or more"}},
      {R"("layer_norm_eps":-1e-5)", {"layer_norm_eps", "above zero"}},
      {R"("layer_norm_eps":"small")", {"layer_norm_eps", "above zero"}},
      {R"("hidden_act":7)", {"hidden_act", "no text"}},
      {R"("is_decoder":"no")", {"is_decoder", "neither true nor false"}},
      {R"("position_embedding_type":1)", {"position_embedding_type", "no text"}},
      {R"("hidden_size":64,"hidden_size":64)", {"duplicate", "hidden_size"}},
  };
  for (const Trial& trial : trials) {
    folder.config = R"({"model_type":"bert",)" + sizes + "," + trial.entry + "}";
    expect(folder, ErrorCode::bad_file, trial.words);
  }
}

TEST_CASE("config errors: what must be there and is not") {
  ModelFolder folder;
  const std::pair<const char*, std::vector<std::string>> trials[] = {
      {R"({})", {"model_type"}},
      {R"({"model_type":"bert"})", {"num_hidden_layers", "missing"}},
      {R"({"model_type":"bert","num_hidden_layers":3})", {"num_attention_heads", "missing"}},
      {R"({"model_type":"distilbert","n_heads":4})", {"n_layers", "missing"}},
      {R"({"model_type":"bert","num_hidden_layers":1000000000,"num_attention_heads":4})",
       {"encoder.layer.3.", "missing"}},
      {R"({"model_type":"bert","num_hidden_layers":9223372036854775807,"num_attention_heads":4})",
       {"encoder.layer.3."}},
      {R"([])", {"JSON object"}},
      {R"({"model_type":"bert")", {"JSON object"}},
      {"", {"JSON object"}},
  };
  for (const auto& [config, words] : trials) {
    folder.config = config;
    expect(folder, ErrorCode::bad_file, words);
  }
}

TEST_CASE("config errors: heads that do not share the width") {
  ModelFolder folder;
  for (const char* heads : {"5", "65", "9223372036854775807"}) {
    folder.config = R"({"model_type":"bert","num_hidden_layers":3,"num_attention_heads":)" + std::string(heads) + "}";
    CAPTURE(heads);
    expect_error(ErrorCode::bad_file, {"heads", heads}, [&] { folder.load(); });
  }
}

TEST_CASE("config errors: models of another kind are named") {
  ModelFolder folder;
  const Trial trials[] = {
      {R"("position_embedding_type":"relative_key")", {"position_embedding_type", "relative_key", "absolute"}},
      {R"("hidden_act":"tanh")", {"hidden_act", "tanh", "gelu"}},
      {R"("is_decoder":true)", {"is_decoder"}},
      {R"("embedding_size":32,"hidden_size":64)", {"embedding_size", "32"}},
  };
  for (const Trial& trial : trials) {
    folder.config = R"({"model_type":"bert",)" + sizes + "," + trial.entry + "}";
    expect(folder, ErrorCode::unsupported, trial.words);
  }
  for (const std::string type : {"gpt2", "mpnet", "", "bert electra", "BERT", "\\u0000"}) {
    folder.config = "{\"model_type\":\"" + type + "\"," + sizes + "}";
    expect(folder, ErrorCode::unsupported, {"model_type", "distilbert"});
  }
}

TEST_CASE("config errors: RoBERTa's padding leaves positions") {
  ModelFolder folder;
  const auto with = [&](const std::string& padding) {
    folder.config = R"({"model_type":"roberta",)" + sizes + ",\"pad_token_id\":" + padding + "}";
  };
  with("298");
  CHECK(folder.load().config().max_length() == 1);
  for (const char* padding : {"299", "9223372036854775806", "9223372036854775807", "-1"}) {
    with(padding);
    expect(folder, ErrorCode::bad_file, {"pad_token_id"});
  }
}
