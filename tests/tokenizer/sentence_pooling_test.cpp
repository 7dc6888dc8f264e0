// Which way of pooling a model folder asks for.
#include "sentence_folder.hpp"

using namespace headwise;

TEST_CASE("pooling as sentence-transformers reads it") {
  const SentenceFolder folder;
  folder.write("modules.json", sentence_modules);
  const auto check = [&](const std::string& config, Pooling pooling) {
    CAPTURE(config);
    folder.write("1_Pooling/config.json", config);
    const SentenceSettings settings = folder.read();
    CHECK(settings.pooling == pooling);
    CHECK(settings.pooling_source == "1_Pooling/config.json");
  };
  const std::string flag = R"("pooling_mode_)";
  for (const char* config : {R"({"embedding_dimension": 4})", R"({"word_embedding_dimension": 4})",
                             R"({"pooling_mode_lasttoken": null})", R"({"include_prompt": true})"}) {
    check(config, Pooling::mean);
  }
  check("{" + flag + R"(cls_token": false, )" + flag + R"(mean_tokens": false, )" + flag + R"(max_tokens": false})",
        Pooling::mean);
  const std::pair<const char*, Pooling> kinds[] = {
      {"cls", Pooling::cls}, {"mean", Pooling::mean}, {"max", Pooling::max}};
  for (const auto& [name, pooling] : kinds) {
    const std::string named = R"({"pooling_mode": ")" + std::string(name) + "\"", others = R"(, )" + flag;
    const std::string tokens = std::string(name) + (name == std::string("cls") ? "_token" : "_tokens");
    check("{" + flag + tokens + R"(": true})", pooling);
    check(named + "}", pooling);
    check(R"({"pooling_mode": [")" + std::string(name) + R"("]})", pooling);
    for (const char* more : {"lasttoken\": true", "cls_token\": true", "max_tokens\": true", "mean_tokens\": 7"}) {
      check(named + others + more + "}", pooling);
    }
  }
}

TEST_CASE("ways of pooling that headwise has not are refused by their names") {
  const SentenceFolder folder;
  folder.write("modules.json", sentence_modules);
  const auto check = [&](const std::string& config, const std::string& code, const std::string& words) {
    CAPTURE(config);
    folder.write("1_Pooling/config.json", config);
    folder.check_refused(code, words);
  };
  for (const char* name : {"mean_sqrt_len_tokens", "weightedmean", "lasttoken", "Mean", ""}) {
    const std::string quoted = "\"" + std::string(name) + "\"", words = "pooling_mode '" + std::string(name) + "'";
    check(R"({"pooling_mode": )" + quoted + "}", "unsupported", words);
    check(R"({"pooling_mode": [)" + quoted + "]}", "unsupported", words);
  }
  for (const char* name : {"mean_sqrt_len_tokens", "weightedmean_tokens", "lasttoken"}) {
    const std::string flag = "pooling_mode_" + std::string(name);
    check("{\"" + flag + "\": true}", "unsupported", flag);
    check("{\"" + flag + R"(": true, "pooling_mode_cls_token": true})", "unsupported", "several");
  }
  for (const char* names : {R"(["mean", "max"])", R"(["mean", "mean"])", R"(["cls", "lasttoken"])"}) {
    check(R"({"pooling_mode_cls_token": true, "pooling_mode": )" + std::string(names) + "}", "unsupported", "several");
  }
  check(R"({"pooling_mode": []})", "bad_file", "no way of pooling");
  for (const char* other : {"{}", R"({"hidden_size": 4, "model_type": "bert"})"}) {
    check(other, "bad_file", "nothing of a Pooling");
  }
  for (const char* value : {"7", "true", "{}", "[7]", "[[\"mean\"]]", "[null]"}) {
    check(R"({"pooling_mode": )" + std::string(value) + "}", "bad_file", "neither a text nor a list");
  }
}
