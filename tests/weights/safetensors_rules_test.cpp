// The safetensors format, rule by rule: headers built here, each with what it must give.
#include <vector>

#include "expect_error.hpp"
#include "headwise/weights.hpp"
#include "safetensors_writer.hpp"
#include "temporary_folder.hpp"

using namespace headwise;

namespace {

struct Case {
  const char* what;
  std::string header;
  std::size_t data_bytes;
  const char* problem;  // words of the message, nullptr when the file is right
};

std::string entry(const std::string& name, const std::string& fields) {
  return "\"" + name + "\":{" + fields + "}";
}

const std::string f32_one = R"("dtype":"F32","shape":[1],"data_offsets":[0,4])";

std::string one(const std::string& fields) {
  return "{" + entry("a", fields) + "}";
}

std::string nested(int depth, const std::string& open, const std::string& close) {
  std::string text;
  for (int i = 0; i < depth; ++i) text += open;
  text += "1";
  for (int i = 0; i < depth; ++i) text += close;
  return text;
}

void check(const std::vector<Case>& cases) {
  const TemporaryFolder folder;
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const std::string path =
        folder.write("t.safetensors", safetensors_bytes(c.header, std::string(c.data_bytes, '\1')));
    if (c.problem == nullptr) {
      CHECK_NOTHROW(WeightFile::open(path));
    } else {
      expect_error(ErrorCode::bad_file, {c.problem, "t.safetensors"}, [&] { WeightFile::open(path); });
    }
  }
}

}  // namespace

TEST_CASE("the header is one JSON object") {
  const std::string good = one(f32_one);
  check({
      {"plain", good, 4, nullptr},
      {"spaces behind", good + "    ", 4, nullptr},
      {"white space before", " \n\t\r" + good, 4, nullptr},
      {"no tensors", "{}", 0, nullptr},
      {"no tensors but data", "{}", 4, "4 bytes longer"},
      {"empty", "", 4, "header is empty"},
      {"only spaces", "   ", 4, "header is empty"},
      {"an array", "[]", 0, "does not begin with {"},
      {"a number", "1", 0, "does not begin with {"},
      {"byte-order mark", "\xef\xbb\xbf" + good, 4, "does not begin with {"},
      {"NUL behind", good + std::string(1, '\0'), 4, "NUL"},
      {"NUL and more behind", good + std::string(1, '\0') + "{}", 4, "NUL"},
      {"NUL before", std::string(1, '\0') + good, 4, "NUL"},
      {"text behind", good + "x", 4, "not valid JSON"},
      {"a second object", good + "{}", 4, "not valid JSON"},
      {"comment", "/**/" + good, 4, "does not begin with {"},
      {"comment inside", "{/**/" + good.substr(1), 4, "not valid JSON"},
      {"unfinished", good.substr(0, good.size() - 1), 4, "not valid JSON"},
      {"trailing comma", good.substr(0, good.size() - 1) + ",}", 4, "not valid JSON"},
      {"single quotes", "{'a':{}}", 0, "not valid JSON"},
      {"invalid UTF-8 in a name", "{" + entry("\xff", f32_one) + "}", 4, "not valid JSON"},
      {"overlong UTF-8 in a name", "{" + entry("\xc0\xaf", f32_one) + "}", 4, "not valid JSON"},
      {"lone surrogate", "{" + entry("\\ud800", f32_one) + "}", 4, "not valid JSON"},
      {"control character in a name", "{" + entry("\x01", f32_one) + "}", 4, "not valid JSON"},
  });
}

TEST_CASE("names may be anything, but each only once") {
  const std::string second = R"("dtype":"F32","shape":[1],"data_offsets":[4,8])";
  check({
      {"empty name", "{" + entry("", f32_one) + "}", 4, nullptr},
      {"NUL escape in a name", "{" + entry("\\u0000", f32_one) + "}", 4, nullptr},
      {"escaped name", "{" + entry("\\u0061", f32_one) + "}", 4, nullptr},
      {"same name", "{" + entry("a", f32_one) + "," + entry("a", second) + "}", 8, "duplicate tensor name 'a'"},
      {"same name, same bytes", "{" + entry("a", f32_one) + "," + entry("a", f32_one) + "}", 4, "duplicate"},
      {"same after unescaping", "{" + entry("a", f32_one) + "," + entry("\\u0061", second) + "}", 8, "duplicate"},
  });
}

TEST_CASE("an entry has dtype, shape and data_offsets, each once and of its type") {
  check({
      {"other order", one(R"("data_offsets":[0,4],"shape":[1],"dtype":"F32")"), 4, nullptr},
      {"no dtype", one(R"("shape":[1],"data_offsets":[0,4])"), 4, "dtype is missing"},
      {"no shape", one(R"("dtype":"F32","data_offsets":[0,4])"), 4, "shape is missing"},
      {"no offsets", one(R"("dtype":"F32","shape":[1])"), 4, "data_offsets is missing"},
      {"empty entry", one(""), 4, "missing"},
      {"dtype twice", one(f32_one + R"(,"dtype":"F32")"), 4, "duplicate dtype"},
      {"shape twice", one(f32_one + R"(,"shape":[1])"), 4, "duplicate shape"},
      {"offsets twice", one(f32_one + R"(,"data_offsets":[0,4])"), 4, "duplicate data_offsets"},
      {"positional array", R"({"a":["F32",[1],[0,4]]})", 4, "found an array"},
      {"a string", R"({"a":"F32"})", 4, "found a string"},
      {"null", R"({"a":null})", 4, "found null"},
      {"dtype a number", one(R"("dtype":1,"shape":[1],"data_offsets":[0,4])"), 4, "dtype is no string"},
      {"dtype an object", one(R"("dtype":{},"shape":[1],"data_offsets":[0,4])"), 4, "dtype is no string"},
      {"dtype null", one(R"("dtype":null,"shape":[1],"data_offsets":[0,4])"), 4, "dtype is no string"},
      {"shape a number", one(R"("dtype":"F32","shape":1,"data_offsets":[0,4])"), 4, "shape is no array"},
      {"shape a string", one(R"("dtype":"F32","shape":"1","data_offsets":[0,4])"), 4, "shape is no array"},
      {"shape an object", one(R"("dtype":"F32","shape":{},"data_offsets":[0,4])"), 4, "shape is no array"},
      {"shape nested", one(R"("dtype":"F32","shape":[[1]],"data_offsets":[0,4])"), 4, "shape holds an array"},
      {"shape with null", one(R"("dtype":"F32","shape":[null],"data_offsets":[0,4])"), 4, "shape holds null"},
      {"shape with true", one(R"("dtype":"F32","shape":[true],"data_offsets":[0,4])"), 4, "shape holds a boolean"},
      {"offsets a number", one(R"("dtype":"F32","shape":[1],"data_offsets":4)"), 4, "data_offsets is no array"},
      {"no offset", one(R"("dtype":"F32","shape":[1],"data_offsets":[])"), 4, "has 0 numbers"},
      {"one offset", one(R"("dtype":"F32","shape":[1],"data_offsets":[0])"), 4, "has 1 numbers"},
      {"three offsets", one(R"("dtype":"F32","shape":[1],"data_offsets":[0,4,4])"), 4, "more than two"},
      {"offset a string", one(R"("dtype":"F32","shape":[1],"data_offsets":["0",4])"), 4, "data_offsets holds a string"},
      {"offset nested", one(R"("dtype":"F32","shape":[1],"data_offsets":[[0,4]])"), 4, "data_offsets holds an array"},
  });
}

TEST_CASE("numbers are non-negative 64-bit integers written as such") {
  const auto shape = [](const std::string& size) {
    return one(R"("dtype":"F32","shape":[)" + size + R"(],"data_offsets":[0,4])");
  };
  check({
      {"1.0", shape("1.0"), 4, "no 64-bit integer"},
      {"1e0", shape("1e0"), 4, "no 64-bit integer"},
      {"-1", shape("-1"), 4, "negative"},
      {"-0", shape("-0"), 4, "negative"},
      {"2^64", shape("18446744073709551616"), 4, "no 64-bit integer"},
      {"1e999", shape("1e999"), 4, "not valid JSON"},
      {"leading zero", shape("01"), 4, "not valid JSON"},
      {"+1", shape("+1"), 4, "not valid JSON"},
      {"hexadecimal", shape("0x1"), 4, "not valid JSON"},
      {"NaN", shape("NaN"), 4, "not valid JSON"},
      {"offset 4.0", one(R"("dtype":"F32","shape":[1],"data_offsets":[0,4.0])"), 4, "no 64-bit integer"},
      {"offset -0", one(R"("dtype":"F32","shape":[1],"data_offsets":[-0,4])"), 4, "negative"},
      {"offset -4", one(R"("dtype":"F32","shape":[1],"data_offsets":[-4,0])"), 4, "negative"},
  });
}

TEST_CASE("fields that the format does not know are stepped over, to a depth") {
  check({
      {"number", one(f32_one + R"(,"x":1.5)"), 4, nullptr},
      {"string", one(f32_one + R"(,"x":"y")"), 4, nullptr},
      {"null before", one(R"("x":null,)" + f32_one), 4, nullptr},
      {"object with known names", one(R"("x":{"dtype":1,"shape":{},"y":[{}]},)" + f32_one), 4, nullptr},
      {"array", one(R"("x":[1,[2,{"dtype":3}],-0],)" + f32_one), 4, nullptr},
      {"120 deep", one(R"("x":)" + nested(120, "[", "]") + "," + f32_one), 4, nullptr},
      {"200 deep", one(R"("x":)" + nested(200, "[", "]") + "," + f32_one), 4, "deeper"},
      {"200 objects deep", one(R"("x":)" + nested(200, "{\"y\":", "}") + "," + f32_one), 4, "deeper"},
      {"a million deep", one(R"("x":)" + std::string(1'000'000, '[')), 4, "deeper"},
  });
}

TEST_CASE("metadata is a flat map of strings") {
  const auto metadata = [](const std::string& value) {
    return "{\"__metadata__\":" + value + "," + entry("a", f32_one) + "}";
  };
  check({
      {"empty", metadata("{}"), 4, nullptr},
      {"null", metadata("null"), 4, nullptr},
      {"strings", metadata(R"({"format":"pt","x":""})"), 4, nullptr},
      {"behind the tensors", "{" + entry("a", f32_one) + R"(,"__metadata__":{"k":"v"}})", 4, nullptr},
      {"integer", metadata(R"({"k":1})"), 4, "'k' is no string"},
      {"value null", metadata(R"({"k":null})"), 4, "'k' is no string"},
      {"value object", metadata(R"({"k":{}})"), 4, "'k' is no string"},
      {"value array", metadata(R"({"k":[]})"), 4, "'k' is no string"},
      {"a string", metadata(R"("x")"), 4, "__metadata__"},
      {"an array", metadata("[]"), 4, "__metadata__"},
      {"a number", metadata("1"), 4, "__metadata__"},
      {"twice", R"({"__metadata__":{},"__metadata__":{}})", 0, "duplicate __metadata__"},
      {"twice, once escaped", R"({"__metadata__":{},"__metad\u0061ta__":null})", 0, "duplicate __metadata__"},
      {"key twice", metadata(R"({"k":"1","k":"1"})"), 4, "duplicate key 'k'"},
      {"key twice, once escaped", metadata(R"({"k":"1","\u006b":"2"})"), 4, "duplicate key 'k'"},
  });
}

TEST_CASE("every byte of the data belongs to exactly one tensor") {
  const auto two = [](const std::string& first, const std::string& second) {
    return "{" + entry("a", R"("dtype":"U8","shape":[4],"data_offsets":)" + first) + "," +
           entry("b", R"("dtype":"U8","shape":[4],"data_offsets":)" + second) + "}";
  };
  check({
      {"in order", two("[0,4]", "[4,8]"), 8, nullptr},
      {"other order", two("[4,8]", "[0,4]"), 8, nullptr},
      {"hole between", two("[0,4]", "[5,9]"), 9, "leave a hole"},
      {"hole at the start", two("[1,5]", "[5,9]"), 9, "leave a hole"},
      {"overlap", two("[0,4]", "[3,7]"), 7, "overlap"},
      {"same bytes", two("[0,4]", "[0,4]"), 4, "overlap"},
      {"far outside", two("[0,4]", "[18446744073709551610,18446744073709551614]"), 8, "leave a hole"},
      {"one byte short", two("[0,4]", "[4,8]"), 7, "1 bytes shorter"},
      {"no data", two("[0,4]", "[4,8]"), 0, "8 bytes shorter"},
      {"one byte more", two("[0,4]", "[4,8]"), 9, "1 bytes longer"},
      {"end before begin", two("[4,0]", "[4,8]"), 8, "end before they begin"},
      {"too many bytes for the shape", two("[0,5]", "[5,9]"), 9, "needs 4"},
      {"too few", two("[0,3]", "[3,7]"), 7, "needs 4"},
  });
}

TEST_CASE("sizes are computed with overflow checks, from left to right") {
  const auto shape = [](const std::string& sizes, const std::string& offsets = "[0,0]") {
    return one(R"("dtype":"F32","shape":)" + sizes + R"(,"data_offsets":)" + offsets);
  };
  check({
      {"scalar", shape("[]", "[0,4]"), 4, nullptr},
      {"empty", shape("[0]"), 0, nullptr},
      {"empty of rank 3", shape("[2,0,3]"), 0, nullptr},
      {"zero, then a huge size", shape("[0,18446744073709551615,2]"), 0, nullptr},
      {"a huge size, then zero", shape("[18446744073709551615,2,0]"), 0, "size overflow"},
      {"product wraps to zero", shape("[8589934592,2147483648]"), 0, "size overflow"},
      {"bytes wrap to four", shape("[4611686018427387905]", "[0,4]"), 4, "size overflow"},
      {"bits wrap", shape("[576460752303423488]"), 0, "size overflow"},
      {"one element, no bytes", shape("[1]"), 0, "needs 4"},
      {"rank 40", shape("[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", "[0,4]"),
       4, nullptr},
  });
}

TEST_CASE("all types of the format are known, others are not") {
  const auto typed = [](const std::string& dtype, const std::string& size, const std::string& end) {
    return one("\"dtype\":\"" + dtype + "\",\"shape\":[" + size + "],\"data_offsets\":[0," + end + "]");
  };
  std::vector<Case> cases;
  for (const char* dtype : {"BOOL", "U8", "I8", "F8_E5M2", "F8_E4M3", "F8_E8M0", "F8_E4M3FNUZ", "F8_E5M2FNUZ"}) {
    cases.push_back({dtype, typed(dtype, "3", "3"), 3, nullptr});
  }
  for (const char* dtype : {"I16", "U16", "F16", "BF16"}) cases.push_back({dtype, typed(dtype, "3", "6"), 6, nullptr});
  for (const char* dtype : {"I32", "U32", "F32"}) cases.push_back({dtype, typed(dtype, "3", "12"), 12, nullptr});
  for (const char* dtype : {"C64", "F64", "I64", "U64"}) cases.push_back({dtype, typed(dtype, "3", "24"), 24, nullptr});
  cases.push_back({"F4", typed("F4", "4", "2"), 2, nullptr});
  cases.push_back({"F6_E2M3", typed("F6_E2M3", "4", "3"), 3, nullptr});
  cases.push_back({"F6_E3M2", typed("F6_E3M2", "4", "3"), 3, nullptr});
  cases.push_back({"half a byte", typed("F4", "3", "2"), 2, "no whole number of bytes"});
  cases.push_back({"three quarters of a byte", typed("F6_E2M3", "1", "1"), 1, "no whole number of bytes"});
  for (const char* dtype : {"f32", "F128", "", "F32 ", "float32"}) {
    cases.push_back({"unknown", typed(dtype, "1", "4"), 4, "unknown dtype"});
  }
  check(cases);
}

TEST_CASE("messages name the tensor and the numbers") {
  const TemporaryFolder folder;
  const std::string header = "{" + entry("layer\\n1", R"("dtype":"F32","shape":[2,3],"data_offsets":[0,20])") + "}";
  const std::string path = folder.write("m.safetensors", safetensors_bytes(header, std::string(20, '\0')));
  expect_error(ErrorCode::bad_file, {"m.safetensors", "'layer\\x0a1'", "[0, 20]", "20 bytes", "F32 [2, 3]", "needs 24"},
               [&] { WeightFile::open(path); });
}
