#include <sys/stat.h>
#include <unistd.h>

#include "expect_error.hpp"
#include "headwise/weights.hpp"
#include "temporary_folder.hpp"

using namespace headwise;

namespace {

std::optional<std::int64_t> heads(const std::string& config) {
  const TemporaryFolder folder;
  folder.write("config.json", config);
  return heads_from_config(folder.file("model.safetensors"));
}

void refused(const std::string& config, const std::string& word) {
  CAPTURE(config.substr(0, 80));
  expect_error(ErrorCode::bad_file, {word, "config.json"}, [&] { heads(config); });
}

}  // namespace

TEST_CASE("heads are found under the names that models use") {
  CHECK(heads(R"({"num_attention_heads": 12})") == 12);
  CHECK(heads(R"({"n_heads": 6})") == 6);
  CHECK(heads(R"({"n_head": 5})") == 5);
  CHECK(heads(R"({"num_heads": 4})") == 4);
  CHECK(heads(R"({"num_heads": 4, "n_head": 5, "num_attention_heads": 12})") == 12);
}

TEST_CASE("without a config or a number of heads there is none") {
  const TemporaryFolder folder;
  CHECK(!heads_from_config(folder.file("model.safetensors")));
  CHECK(!heads("{}"));
  CHECK(!heads(R"({"hidden_size": 384})"));
}

TEST_CASE("only the outer object counts") {
  CHECK(heads(R"({"text": {"num_attention_heads": 3}, "list": [{"n_head": 2}], "num_heads": 4})") == 4);
  CHECK(!heads(R"({"text": {"num_attention_heads": 3}})"));
  CHECK(heads(R"({"n_head": 2, "id2label": {"0": "x"}, "x": [1, [2, null]], "y": 1.5})") == 2);
}

TEST_CASE("a value that is no positive integer is an error") {
  for (const char* value : {"0", "-1", "1.5", "12.0", "\"12\"", "null", "true", "[12]", "{\"a\":12}",
                            "9223372036854775808", "18446744073709551616"}) {
    refused("{\"num_attention_heads\": " + std::string(value) + "}", "num_attention_heads is no positive integer");
  }
  refused(R"({"n_head": 2, "n_head": 2})", "duplicate key 'n_head'");
}

TEST_CASE("a hostile config never does more than fail") {
  refused("", "not a valid JSON object");
  refused("[]", "not a valid JSON object");
  refused("12", "not a valid JSON object");
  refused("{\"num_heads\": 4", "not a valid JSON object");
  refused("{\"num_heads\": 4} x", "not a valid JSON object");
  refused(std::string("{\"num_heads\": 4}\0", 17), "not a valid JSON object");
  refused("\xef\xbb\xbf{\"num_heads\": 4}", "not a valid JSON object");
  refused("{\"x\": \"\xff\"}", "not a valid JSON object");
  refused("{\"x\": " + std::string(1'000'000, '['), "not a valid JSON object");
  refused("{\"x\": 1e999}", "not a valid JSON object");
}

TEST_CASE("a config that is too large or no file is refused") {
  const TemporaryFolder folder;
  const std::string path = folder.write("config.json", "{}");
  REQUIRE(::truncate(path.c_str(), 1ll << 40) == 0);
  expect_error(ErrorCode::bad_file, {"16 MiB"}, [&] { heads_from_config(folder.file("m.safetensors")); });
  REQUIRE(::unlink(path.c_str()) == 0);
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  expect_error(ErrorCode::io, {"not a regular file"}, [&] { heads_from_config(folder.file("m.safetensors")); });
}
