#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "expect_error.hpp"
#include "headwise/tensor.hpp"
#include "temporary_folder.hpp"

using namespace headwise;

namespace {

std::string npy_bytes(const std::string& header, const std::string& data, int version = 1) {
  std::string bytes = "\x93NUMPY" + std::string{static_cast<char>(version), '\0'};
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) bytes += static_cast<char>((header.size() >> (8 * i)) & 255);
  return bytes + header + data;
}

std::string dictionary(const std::string& descr, const std::string& order, const std::string& shape) {
  return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

// Two-byte integers 0x0100, 0x0201, …: bytes that show their order.
std::string ramp(int bytes) {
  std::string data;
  for (int i = 0; i < bytes; ++i) data += static_cast<char>(i);
  return data;
}

struct Case {
  const char* what;
  std::string header;
  const char* problem;  // nullptr when the file is right
};

void check(ErrorCode code, const std::vector<Case>& cases) {
  const TemporaryFolder folder;
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const std::string path = folder.write("t.npy", npy_bytes(c.header, ramp(64)));
    if (c.problem == nullptr) {
      CHECK_NOTHROW(load_npy(path));
    } else {
      expect_error(code, {c.problem, "t.npy"}, [&] { load_npy(path); });
    }
  }
}

}  // namespace

TEST_CASE("the header is a dictionary of exactly three keys") {
  const std::string good = "'descr': '<f4', 'fortran_order': False, 'shape': (2,)";
  check(ErrorCode::bad_file,
        {
            {"as NumPy writes it", "{" + good + ", }   \n", nullptr},
            {"no comma at the end", "{" + good + "}", nullptr},
            {"no spaces", "{'descr':'<f4','fortran_order':False,'shape':(2,)}", nullptr},
            {"much space", " \n\t{ 'descr' : '<f4' ,\n'fortran_order':False, 'shape' : ( 2 , ) } \n", nullptr},
            {"double quotes", R"({"descr":"<f4","fortran_order":False,"shape":(2L,)})", nullptr},
            {"other order", "{'shape': (2,), 'descr': '<f4', 'fortran_order': False}", nullptr},
            {"empty", "", "expected {"},
            {"only {", "{", "expected a string"},
            {"no keys", "{}", "missing"},
            {"descr missing", "{'fortran_order': False, 'shape': (2,)}", "missing"},
            {"order missing", "{'descr': '<f4', 'shape': (2,)}", "missing"},
            {"shape missing", "{'descr': '<f4', 'fortran_order': False}", "missing"},
            {"a key twice", "{" + good + ", 'shape': (2,)}", "duplicate key 'shape'"},
            {"unknown key", "{" + good + ", 'x': 1}", "unknown key 'x'"},
            {"two commas", "{" + good + ",, }", "expected a string"},
            {"no colon", "{'descr' '<f4'}", "expected :"},
            {"text behind", "{" + good + "} x", "text behind"},
            {"NUL behind", "{" + good + "}" + std::string(1, '\0'), "text behind"},
            {"unfinished string", "{'descr", "does not end"},
            {"mixed quotes", "{'descr\": '<f4'}", "expected :"},
            {"escape", "{'descr\\n': '<f4'}", "escapes"},
            {"a list", "[" + good + "]", "expected {"},
            {"code", "__import__('os')", "expected {"},
            {"unfinished", "{" + good, "expected ,"},
        });
}

TEST_CASE("the shape is a tuple of non-negative integers") {
  const auto shape = [](const std::string& text) { return dictionary("'<f4'", "False", text); };
  check(ErrorCode::bad_file, {
                                 {"scalar", shape("()"), nullptr},
                                 {"zero", shape("(0,)"), nullptr},
                                 {"rank 8", shape("(1, 1, 1, 1, 1, 1, 1, 2)"), nullptr},
                                 {"trailing comma", shape("(2, 3,)"), nullptr},
                                 {"python 2", shape("(2L, 3L)"), nullptr},
                                 {"a number", shape("2"), "no tuple"},
                                 {"a number in parentheses", shape("(2)"), "no tuple"},
                                 {"a list", shape("[2, 3]"), "no tuple"},
                                 {"negative", shape("(-1,)"), "negative size -1"},
                                 {"two negatives", shape("(-2, -2)"), "negative"},
                                 {"minus zero", shape("(-0,)"), "negative"},
                                 {"float", shape("(2.0,)"), "expected ,"},
                                 {"boolean", shape("(True,)"), "integers"},
                                 {"string", shape("('2',)"), "integers"},
                                 {"plus", shape("(+2,)"), "integers"},
                                 {"leading zero", shape("(02,)"), "integers"},
                                 {"only a comma", shape("(,)"), "integers"},
                                 {"two commas", shape("(2,,)"), "integers"},
                                 {"nested", shape("((2,),)"), "integers"},
                                 {"2^63", shape("(9223372036854775808,)"), "exceeds 2^63"},
                                 {"product overflows", shape("(4294967296, 4294967296)"), "size overflow"},
                                 {"bytes overflow", shape("(4611686018427387905,)"), "size overflow"},
                                 {"bytes exceed int64", shape("(2305843009213693952,)"), "size overflow"},
                                 {"a zero does not heal it", shape("(0, 4294967296, 4294967296)"), "size overflow"},
                                 {"more than there is", shape("(17,)"), "4 bytes shorter"},
                             });
  check(ErrorCode::unsupported, {{"rank 9", shape("(1, 1, 1, 1, 1, 1, 1, 1, 1)"), "8 axes"}});
}

TEST_CASE("types that are no numbers are refused by name, nothing is unpickled") {
  const auto typed = [](const std::string& descr) { return dictionary(descr, "False", "(2,)"); };
  check(ErrorCode::unsupported, {
                                    {"object", typed("'|O'"), "|O"},
                                    {"complex", typed("'<c8'"), "<c8"},
                                    {"string", typed("'<U3'"), "<U3"},
                                    {"bytes", typed("'|S3'"), "|S3"},
                                    {"dates", typed("'<M8[s]'"), "M8"},
                                    {"long double", typed("'<f16'"), "<f16"},
                                    {"structured", typed("[('x', '<f4')]"), "structured"},
                                    {"no byte order", typed("'f4'"), "'f4'"},
                                    {"no order where one is needed", typed("'|f4'"), "|f4"},
                                    {"empty", typed("''"), "dtype ''"},
                                });
  check(ErrorCode::bad_file, {{"number", typed("4"), "expected a string"},
                              {"order a number", dictionary("'<f4'", "0", "(2,)"), "neither True nor False"},
                              {"order a string", dictionary("'<f4'", "'True'", "(2,)"), "neither True nor False"}});
}

TEST_CASE("every type is read in both byte orders") {
  const TemporaryFolder folder;
  const std::pair<const char*, DType> types[] = {{"f4", DType::f32}, {"f8", DType::f64}, {"f2", DType::f16},
                                                 {"i8", DType::i64}, {"i4", DType::i32}, {"i2", DType::i16},
                                                 {"i1", DType::i8},  {"u8", DType::u64}, {"u4", DType::u32},
                                                 {"u2", DType::u16}, {"u1", DType::u8}};
  for (const auto& type : types) {
    const std::string name = type.first;
    const DType dtype = type.second;
    CAPTURE(name);
    const std::size_t size = dtype_size(dtype);
    const std::string data = ramp(static_cast<int>(2 * size));
    std::string swapped;
    for (std::size_t i = 0; i < 2; ++i)
      swapped.append(data.rbegin() + static_cast<long>((1 - i) * size),
                     data.rbegin() + static_cast<long>((2 - i) * size));
    for (const char* order : {"<", ">", "="}) {
      const std::string descr = "'" + std::string(order) + name + "'";
      const std::string stored = *order == '>' ? swapped : data;
      const Tensor tensor = load_npy(folder.write("t.npy", npy_bytes(dictionary(descr, "False", "(2,)"), stored)));
      CHECK(tensor.dtype() == dtype);
      CHECK(std::memcmp(tensor.view().data, data.data(), data.size()) == 0);
    }
  }
}

TEST_CASE("any nonzero byte is true and becomes 1") {
  const TemporaryFolder folder;
  const std::string bytes = npy_bytes(dictionary("'|b1'", "False", "(3,)"), std::string("\0\2\xff", 3));
  const Tensor mask = load_npy(folder.write("t.npy", bytes));
  CHECK(mask.dtype() == DType::boolean);
  const unsigned char expected[] = {0, 1, 1};
  CHECK(std::memcmp(mask.view().data, expected, 3) == 0);
}

TEST_CASE("Fortran order is turned into C order") {
  const TemporaryFolder folder;
  // Element (i, j, k) of shape (2, 3, 4) is stored at i + 2·j + 6·k.
  const Tensor tensor = load_npy(folder.write("f.npy", npy_bytes(dictionary("'|u1'", "True", "(2, 3, 4)"), ramp(24))));
  CHECK(tensor.shape() == Dims{2, 3, 4});
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 4; ++k) CHECK(tensor.data<std::uint8_t>()[(i * 3 + j) * 4 + k] == i + 2 * j + 6 * k);
    }
  }
  CHECK(load_npy(folder.write("e.npy", npy_bytes(dictionary("'<f4'", "True", "(0, 5)"), ""))).shape() == Dims{0, 5});
}

TEST_CASE("versions 1 to 3 are read, others and damaged starts are not") {
  const TemporaryFolder folder;
  const std::string header = dictionary("'<f4'", "False", "(2,)");
  for (const int version : {1, 2, 3}) {
    CHECK(load_npy(folder.write("v.npy", npy_bytes(header, ramp(8), version))).shape() == Dims{2});
  }
  for (const int version : {0, 4, 9, 255}) {
    expect_error(ErrorCode::bad_file, {"version " + std::to_string(version)},
                 [&] { load_npy(folder.write("v.npy", npy_bytes(header, ramp(8), version))); });
  }
  std::string minor = npy_bytes(header, ramp(8));
  minor[7] = 1;
  expect_error(ErrorCode::bad_file, {"version 1.1"}, [&] { load_npy(folder.write("v.npy", minor)); });
}

TEST_CASE("a file cut at any byte is refused, bytes behind the array are not looked at") {
  const TemporaryFolder folder;
  for (const int version : {1, 2}) {
    const std::string whole = npy_bytes(dictionary("'<f4'", "False", "(2, 3)"), ramp(24), version);
    for (std::size_t length = 0; length < whole.size(); ++length) {
      CAPTURE(length);
      expect_error(ErrorCode::bad_file, {"cut.npy"},
                   [&] { load_npy(folder.write("cut.npy", whole.substr(0, length))); });
    }
    CHECK(load_npy(folder.write("more.npy", whole + "tail")).size() == 6);
  }
}

TEST_CASE("a long header is limited to 10000 bytes, whatever the file's size") {
  const TemporaryFolder folder;
  const std::string header = dictionary("'<f4'", "False", "(2,)");
  const std::string padded = header + std::string(10'000 - header.size(), ' ');
  CHECK(load_npy(folder.write("l.npy", npy_bytes(padded, ramp(8), 2))).size() == 2);
  expect_error(ErrorCode::bad_file, {"10000 bytes"},
               [&] { load_npy(folder.write("m.npy", npy_bytes(padded + " ", ramp(8), 2))); });
  std::string huge = npy_bytes(header, ramp(8), 2);
  std::memcpy(huge.data() + 8, "\xff\xff\xff\x7f", 4);
  const std::string path = folder.write("h.npy", huge);
  REQUIRE(::truncate(path.c_str(), 1ll << 33) == 0);
  expect_error(ErrorCode::bad_file, {"10000 bytes"}, [&] { load_npy(path); });
}

TEST_CASE("what is no regular file is refused without waiting") {
  const TemporaryFolder folder;
  REQUIRE(::mkfifo(folder.file("fifo").c_str(), 0600) == 0);
  expect_error(ErrorCode::io, {"not a regular file"}, [&] { load_npy(folder.file("fifo")); });
  expect_error(ErrorCode::io, {"not a regular file"}, [] { load_npy("/dev/zero"); });
  expect_error(ErrorCode::io, {"absent.npy"}, [&] { load_npy(folder.file("absent.npy")); });
}
