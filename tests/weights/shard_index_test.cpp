// The JSON of a shard index, before any shard is looked at.
#include "shard_index.hpp"

#include "expect_error.hpp"

using namespace headwise;

namespace {

ShardIndex parse(const std::string& json) {
  return parse_shard_index(json, "model.safetensors.index.json");
}

void refused(const std::string& json, const std::string& word) {
  CAPTURE(json);
  expect_error(ErrorCode::bad_file, {"'model.safetensors.index.json'", word}, [&] { parse(json); });
}

std::string map_to(const std::string& json_name) {
  return R"({"weight_map":{"w":)" + json_name + "}}";
}

}  // namespace

TEST_CASE("an index gives shards once and tensors by name") {
  const ShardIndex index = parse(
      R"( {"metadata":{"total_size":9},"weight_map":{"b":"2.safetensors","a":"1.safetensors","c":"2.safetensors"}} )");
  CHECK(index.shards == std::vector<std::string>{"1.safetensors", "2.safetensors"});
  const std::vector<std::pair<std::string, std::size_t>> expected{{"a", 0}, {"b", 1}, {"c", 1}};
  CHECK(index.tensors == expected);
  CHECK(parse(R"({"weight_map":{}})").tensors.empty());
}

TEST_CASE("what else an index says is stepped over") {
  const std::string map = R"("weight_map":{"a":"1"})";
  for (const char* other : {R"("x":[1,-1,1.5,true,null,"s",{"weight_map":{"b":"2"}}])", R"("metadata":null)",
                            R"("metadata":{"total_size":1e300,"weight_map":5})"}) {
    CAPTURE(other);
    CHECK(parse("{" + std::string(other) + "," + map + "}").tensors.size() == 1);
    CHECK(parse("{" + map + "," + std::string(other) + "}").tensors.size() == 1);
  }
}

TEST_CASE("a shard is a plain file name in the folder of the index") {
  for (const char* name : {R"("")", R"(".")", R"("..")", R"("../a")", R"("a/b")", R"("/etc/passwd")", R"("..\\a")",
                           R"("a\u0000.safetensors")", R"("\u002e\u002e/a")", R"("a/")", R"("c:\\a")"}) {
    refused(map_to(name), "plain file name");
  }
  for (const char* name : {R"("...")", R"(".hidden")", R"("a..b")", R"("a b%20.safetensors")", R"("\u00e9")"}) {
    CAPTURE(name);
    CHECK(parse(map_to(name)).shards.size() == 1);
  }
}

TEST_CASE("what maps to something else than a file name is refused") {
  for (const char* value : {"1", "-1", "1.5", "true", "null", "{}", "[]", R"(["1"])", R"({"a":"b"})"}) {
    refused(map_to(value), "the file of 'w' is no string");
  }
  for (const char* map : {"1", "null", "true", R"("1")", "[1,2]", "-1", "0.5"}) {
    refused(R"({"weight_map":)" + std::string(map) + "}", "weight_map is no object");
  }
  refused("{}", "weight_map is missing");
  refused(R"({"metadata":{"weight_map":{"a":"1"}}})", "weight_map is missing");
}

TEST_CASE("names given twice are refused, however they are written") {
  refused(R"({"weight_map":{"a":"1","a":"1"}})", "duplicate tensor name 'a'");
  refused(R"({"weight_map":{"a":"1","b":"1","\u0061":"2"}})", "duplicate tensor name 'a'");
  refused(R"({"weight_map":{"a":"1"},"weight_map":{"b":"1"}})", "duplicate weight_map");
}

TEST_CASE("text that is no JSON object is refused") {
  for (const char* text : {"", " "}) refused(text, "is empty");
  for (const char* text : {"[]", "1", "x", "\xef\xbb\xbf{\"weight_map\":{}}"}) refused(text, "begin with {");
  for (const char* text : {"{", R"({"weight_map":{"a":"1"})", R"({"weight_map":{}} x)",
                           "{\"weight_map\":{\"\xff\":\"1\"}}", R"({"weight_map":{"\ud800":"1"}})"}) {
    refused(text, "not valid JSON");
  }
  refused(std::string("{\"weight_map\":{}}\0", 18), "NUL");
}

TEST_CASE("neither nesting nor the number of shards is without end") {
  const auto nested = [](int depth) {
    return R"({"x":)" + std::string(depth, '[') + std::string(depth, ']') + R"(,"weight_map":{}})";
  };
  CHECK_NOTHROW(parse(nested(126)));
  refused(nested(127), "nests deeper");
  refused(nested(1'000'000), "nests deeper");
  const auto shards = [](int count) {
    std::string pairs;
    for (int i = 0; i < count; ++i)
      pairs += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":\"" + std::to_string(i) + "\"";
    return R"({"weight_map":{)" + pairs + "}}";
  };
  CHECK(parse(shards(1000)).shards.size() == 1000);
  refused(shards(1001), "more than 1000 shards");
}
