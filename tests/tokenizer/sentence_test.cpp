// What a model folder says about sentence embeddings.
#include "sentence_folder.hpp"
#include "tiny_tokenizer.hpp"

using namespace headwise;

TEST_CASE("a plain model folder: the mean, not normalized, the model's own limit") {
  const SentenceFolder folder;
  SentenceSettings settings = folder.read();
  CHECK(settings.pooling == Pooling::mean);
  CHECK(!settings.normalize);
  CHECK(settings.max_length == 512);
  CHECK(settings.prompt.empty());
  CHECK((settings.pooling_source + settings.normalize_source + settings.max_length_source).empty());
  folder.write("config.json", R"({"max_position_embeddings": 128, "hidden_size": 4})");
  folder.write("tokenizer_config.json", R"({"model_max_length": 1000000000000000019884624838656})");
  settings = folder.read();
  CHECK(settings.max_length == 128);
  CHECK(settings.max_length_source == "config.json");
  folder.write("tokenizer_config.json", R"({"model_max_length": 100})");
  settings = folder.read();
  CHECK(settings.max_length == 100);
  CHECK(settings.max_length_source == "tokenizer_config.json");
}

TEST_CASE("the files of sentence-transformers decide") {
  const SentenceFolder folder;
  folder.write("config.json", R"({"max_position_embeddings": 128})");
  folder.write("modules.json", sentence_modules);
  folder.write("1_Pooling/config.json", R"({"word_embedding_dimension": 4, "pooling_mode_cls_token": true,
                                            "pooling_mode_mean_tokens": false, "pooling_mode_max_tokens": false})");
  folder.write("sentence_bert_config.json", R"({"max_seq_length": 256, "do_lower_case": false})");
  folder.write("config_sentence_transformers.json",
               R"({"prompts": {"query": "query: ", "passage": "passage: "}, "default_prompt_name": "query"})");
  SentenceSettings settings = folder.read();
  CHECK(settings.pooling == Pooling::cls);
  CHECK(settings.pooling_source == "1_Pooling/config.json");
  CHECK(settings.normalize);
  CHECK(settings.normalize_source == "modules.json");
  CHECK(settings.max_length == 256);
  CHECK(settings.max_length_source == "sentence_bert_config.json");
  CHECK(settings.prompt == "query: ");
  folder.write("1_Pooling/config.json", R"({"pooling_mode": "max"})");
  folder.write("config_sentence_transformers.json", R"({"prompts": {}, "default_prompt_name": null})");
  folder.write("sentence_bert_config.json", R"({"max_seq_length": null})");
  settings = folder.read();
  CHECK(settings.pooling == Pooling::max);
  CHECK(settings.prompt.empty());
  CHECK(settings.max_length == 128);
}

TEST_CASE("what would give other embeddings is refused") {
  const SentenceFolder folder;
  folder.write("modules.json", sentence_modules);
  folder.check_refused("bad_file", "1_Pooling/config.json");
  folder.write("1_Pooling/config.json", R"({"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": true})");
  folder.check_refused("unsupported", "several");
  folder.write("1_Pooling/config.json", R"({"pooling_mode_lasttoken": true})");
  folder.check_refused("unsupported", "pooling_mode_lasttoken");
  folder.write("1_Pooling/config.json", R"({"pooling_mode": "weightedmean"})");
  folder.check_refused("unsupported", "pooling_mode 'weightedmean'");
  folder.write("1_Pooling/config.json", R"({"pooling_mode_mean_tokens": 1})");
  folder.check_refused("bad_file", "pooling_mode_mean_tokens");
  folder.write("1_Pooling/config.json", R"({"pooling_mode_mean_tokens": true, "include_prompt": false})");
  folder.check_refused("unsupported", "prompt");
  folder.write("1_Pooling/config.json", R"({"pooling_mode_mean_tokens": true})");
  folder.write("sentence_bert_config.json", R"({"max_seq_length": -1})");
  folder.check_refused("bad_file", "max_seq_length");
  folder.write("sentence_bert_config.json", "{}");
  CHECK(folder.refusal() == "read");
}

TEST_CASE("the settings of the transformer have older names, of which the first that is not empty counts") {
  const SentenceFolder folder;
  const std::vector<std::string> names{"sentence_bert_config.json",       "sentence_roberta_config.json",
                                       "sentence_distilbert_config.json", "sentence_camembert_config.json",
                                       "sentence_albert_config.json",     "sentence_xlm-roberta_config.json",
                                       "sentence_xlnet_config.json"};
  folder.write("config.json", R"({"max_position_embeddings": 128})");
  folder.write("tokenizer_config.json", R"({"model_max_length": 100})");
  for (std::size_t i = names.size(); i-- > 0;) {
    CAPTURE(names[i]);
    folder.write(names[i], "[]");
    folder.check_refused("bad_file", names[i]);
    folder.write(names[i], R"({"max_seq_length": )" + std::to_string(200 + i) + "}");
    CHECK(folder.read().max_length == static_cast<std::int64_t>(200 + i));
    CHECK(folder.read().max_length_source == names[i]);
  }
  folder.write(names[0], "{}");
  folder.write(names[1], "{}");
  CHECK(folder.read().max_length_source == names[2]);
  for (const char* other : {R"({"transformer_task": "feature-extraction"})", R"({"max_seq_length": null})"}) {
    folder.write(names[0], other);
    CHECK(folder.read().max_length == 100);
    CHECK(folder.read().max_length_source == "tokenizer_config.json");
  }
}

TEST_CASE("lower case is left to a tokenizer that makes it, and refused before one that does not") {
  for (const char* name : {"sentence_bert_config.json", "sentence_xlnet_config.json"}) {
    const SentenceFolder folder;
    const auto lower_case = [&](bool lower) {
      nlohmann::json file = tiny_tokenizer();
      file["normalizer"]["lowercase"] = lower;
      folder.write("tokenizer.json", file.dump());
    };
    folder.write(name, R"({"do_lower_case": true, "max_seq_length": 64})");
    folder.check_refused("io", "vocab.txt");
    lower_case(true);
    CHECK(folder.read().max_length == 64);
    lower_case(false);
    folder.check_refused("unsupported", std::string(name) + "': sets do_lower_case");
    for (const char* value : {"false", "null"}) {
      folder.write(name, R"({"do_lower_case": )" + std::string(value) + "}");
      CHECK(folder.refusal() == "read");
    }
    folder.write(name, R"({"do_lower_case": 1})");
    folder.check_refused("bad_file", "do_lower_case");
  }
}

TEST_CASE("vocab.txt says in tokenizer_config.json whether its tokenizer makes lower case") {
  const SentenceFolder folder;
  folder.write("sentence_bert_config.json", R"({"do_lower_case": true})");
  folder.write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n");
  CHECK(folder.refusal() == "read");
  folder.write("tokenizer_config.json", R"({"do_lower_case": true})");
  CHECK(folder.refusal() == "read");
  folder.write("tokenizer_config.json", R"({"do_lower_case": false})");
  folder.check_refused("unsupported", "do_lower_case");
}

TEST_CASE("modules that are strange, or lead out of the folder, are refused") {
  const SentenceFolder folder;
  const auto one = [](const std::string& path, const std::string& type) {
    return R"([{"path": ")" + path + R"(", "type": "x.)" + type + R"("}])";
  };
  folder.write("modules.json", one("2_Dense", "Dense"));
  folder.check_refused("unsupported", "'Dense'");
  for (const char* path : {"../1_Pooling", "/etc", "..", ".", "", "1_Pooling/..", "\\u0000", "1_Pooling\\u0000"}) {
    folder.write("modules.json", one(path, "Pooling"));
    folder.check_refused("bad_file", "path");
  }
  folder.write("modules.json", one("0_Transformer", "Transformer"));
  folder.check_refused("unsupported", "folder of its own");
  folder.write("modules.json", "[]");
  folder.check_refused("unsupported", "no Pooling");
  folder.write("modules.json", "{}");
  folder.check_refused("bad_file", "no JSON array");
  folder.write("modules.json", "[1]");
  folder.check_refused("bad_file", "no JSON object");
  CHECK_THROWS_AS((void)read_sentence_settings("/no such folder"), Error);
}
