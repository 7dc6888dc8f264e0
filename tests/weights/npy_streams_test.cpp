// .npy arrays out of and into functions: every chunking gives what the file gives, and nothing is read too far.
#include <algorithm>
#include <cstring>

#include "expect_error.hpp"
#include "headwise/npy.hpp"
#include "temporary_folder.hpp"

using namespace headwise;

namespace {

const std::string cases = HEADWISE_TEST_DATA "/cases/";
const char* const good[] = {"b22_c_2x3",     "b22_fortran_2x3", "b22_fortran_1d",  "b23_empty_0x4",
                            "b23_key_order", "b23_v2",          "b23_long_header", "b23_v3",
                            "b23_scalar",    "b25_bool_value2", "b25_f2",          "b23_old_16_align"};

// Hands out a text in pieces and counts what was asked for.
struct Pieces {
  std::string bytes;
  std::size_t largest, at = 0;

  std::size_t operator()(void* to, std::size_t count) {
    const std::size_t given = std::min({count, largest, bytes.size() - at});
    std::memcpy(to, bytes.data() + at, given);
    at += given;
    return given;
  }
};

std::string file_bytes(const std::string& name) {
  return read_bytes(cases + name + ".npy");
}

void check_equal(const Tensor& a, const Tensor& b) {
  CHECK(a.dtype() == b.dtype());
  CHECK(a.shape() == b.shape());
  const auto bytes = static_cast<std::size_t>(a.size()) * dtype_size(a.dtype());
  CHECK(std::memcmp(a.view().data, b.view().data, bytes) == 0);
}

}  // namespace

TEST_CASE("an array comes the same in pieces of any size, and nothing behind it is taken") {
  for (const char* name : good) {
    CAPTURE(name);
    const Tensor expected = load_npy(cases + name + ".npy");
    for (const std::size_t largest : {1, 7, 1 << 20}) {
      Pieces pieces{file_bytes(name) + "behind", static_cast<std::size_t>(largest)};
      check_equal(read_npy(std::ref(pieces), "a pipe"), expected);
      CHECK(pieces.bytes.substr(pieces.at) == "behind");
    }
  }
}

TEST_CASE("a stream that ends early is a bad file, wherever it ends") {
  for (const char* name : {"b22_c_2x3", "b23_v2"}) {
    const std::string whole = file_bytes(name);
    for (std::size_t length = 0; length < whole.size(); ++length) {
      Pieces pieces{whole.substr(0, length), 64};
      expect_error(ErrorCode::bad_file, {"a pipe"}, [&] { read_npy(std::ref(pieces), "a pipe"); });
    }
  }
}

TEST_CASE("crafted files are refused from a stream as from a file") {
  for (const char* name : {"b19_bad_magic", "b19_bytes_wrap", "b19_only_magic", "b19_product_wraps", "b19_short_data",
                           "b19_v1_len_past_end", "b19_v2_len_huge", "b20_negative", "b20_not_tuple", "b23_v9"}) {
    CAPTURE(name);
    Pieces pieces{file_bytes(name), 16};
    expect_error(ErrorCode::bad_file, {"a pipe"}, [&] { read_npy(std::ref(pieces), "a pipe"); });
  }
}

TEST_CASE("a header that promises a terabyte costs none") {
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (268435456, 1024), }\n";
  Pieces pieces{"\x93NUMPY\x01" + std::string{'\0', static_cast<char>(header.size()), '\0'} + header + "1234", 16};
  try {
    read_npy(std::ref(pieces), "a pipe");
    FAIL("it was read");
  } catch (const Error& error) {  // the system may refuse the address space, or the end comes first
    CHECK((error.code() == ErrorCode::out_of_memory || error.code() == ErrorCode::bad_file));
  }
}

TEST_CASE("what a reader or a writer throws arrives, and one that lies is refused") {
  struct Stop {};
  CHECK_THROWS_AS(read_npy([](void*, std::size_t) -> std::size_t { throw Stop(); }, ""), Stop);
  CHECK_THROWS_AS(write_npy([](const void*, std::size_t) { throw Stop(); }, Tensor({2})), Stop);
  const std::string whole = file_bytes("b22_c_2x3");
  for (std::size_t honest = 0; honest < whole.size(); honest += 7) {
    for (const std::size_t more : {std::size_t{1}, SIZE_MAX / 2, SIZE_MAX}) {
      Pieces pieces{whole, 7};
      const auto lies = [&](void* to, std::size_t count) {
        return pieces.at < honest ? pieces(to, count) : std::max(more, count + more);
      };
      expect_error(ErrorCode::invalid_argument, {"'liar'", "reader", "at most"}, [&] { read_npy(lies, "liar"); });
    }
  }
}

TEST_CASE("functions that are not given are refused") {
  expect_error(ErrorCode::invalid_argument, {"read_npy"}, [] { read_npy({}, "x"); });
  expect_error(ErrorCode::invalid_argument, {"write_npy"}, [] { write_npy({}, Tensor({1})); });
}

TEST_CASE("written bytes are those of the file") {
  const TemporaryFolder folder;
  const std::string path = folder.file("t.npy");
  Tensor numbers({3, 2}), flags(DType::boolean, {5});
  for (int i = 0; i < 6; ++i) numbers.data()[i] = 0.5F * static_cast<float>(i);
  std::memset(flags.mutable_view().data, 7, 5);
  const TensorView turned(numbers.view().data, DType::f32, {2, 3}, {1, 2});
  for (const TensorView& view : {numbers.view(), turned, flags.view(), Tensor({0, 4}).view()}) {
    std::string bytes;
    write_npy([&](const void* from, std::size_t count) { bytes.append(static_cast<const char*>(from), count); }, view);
    save_npy(path, view);
    CHECK(bytes == read_bytes(path));
  }
  expect_error(ErrorCode::unsupported, {"bf16"},
               [] { write_npy([](const void*, std::size_t) {}, Tensor(DType::bf16, {1})); });
}
