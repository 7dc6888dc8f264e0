// Files that save_npz makes.
#include <cstring>

#include "expect_error.hpp"
#include "headwise/files.hpp"
#include "temporary_folder.hpp"
#include "zip_writer.hpp"

using namespace headwise;

namespace {

Tensor counting(DType dtype, const Dims& shape) {
  Tensor tensor(DType::i64, shape);
  for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.data<std::int64_t>()[i] = i;
  return convert(tensor, dtype);
}

}  // namespace

TEST_CASE("arrays come back bit for bit, whatever their strides") {
  const TemporaryFolder folder;
  const std::string path = folder.file("t.npz");
  const Tensor matrix = counting(DType::f32, {4, 6}), scalar = counting(DType::f64, {}),
               none = counting(DType::u8, {0});
  const TensorView transposed(matrix.data(), DType::f32, {6, 4}, {1, 6});
  save_npz(path, {{"m", matrix}, {"a/t", transposed}, {"\xc3\xa9", scalar}, {"none", none}, {"", scalar}});
  const auto read = load_npz(path);
  REQUIRE(read.size() == 5);
  CHECK(std::memcmp(read.at("m").data(), matrix.data(), 24 * sizeof(float)) == 0);
  CHECK(read.at("a/t").shape() == Dims{6, 4});
  CHECK(read.at("a/t").data()[1] == 6.0F);
  CHECK(read.at("\xc3\xa9").shape().rank() == 0);
  CHECK(read.at("none").shape() == Dims{0});
}

TEST_CASE("every type that .npy has comes back, bf16 is refused") {
  const TemporaryFolder folder;
  const std::string path = folder.file("t.npz");
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::i64, DType::i32, DType::i16, DType::i8,
                            DType::u64, DType::u32, DType::u16, DType::u8, DType::boolean}) {
    CAPTURE(dtype_name(dtype));
    const Tensor tensor = counting(dtype, {2, 3});
    save_npz(path, {{"t", tensor}});
    const Tensor read = load_npz(path).at("t");
    CHECK(read.dtype() == dtype);
    CHECK(std::memcmp(read.view().data, tensor.view().data, 6 * dtype_size(dtype)) == 0);
  }
  const Tensor brain = counting(DType::bf16, {2});
  expect_error(ErrorCode::unsupported, {"bf16"}, [&] { save_npz(path, {{"t", brain}}); });
}

TEST_CASE("the same arrays give the same bytes, dated 1980") {
  const TemporaryFolder folder;
  const Tensor a = counting(DType::f32, {3}), b = counting(DType::f32, {2});
  save_npz(folder.file("1"), {{"a", a}, {"b", b}});
  save_npz(folder.file("2"), {{"b", b}, {"a", a}});
  const std::string bytes = read_bytes(folder.file("1"));
  CHECK(bytes == read_bytes(folder.file("2")));
  CHECK(bytes.substr(10, 4) == little_endian(0x210000, 4));
}

TEST_CASE("the longest name that a zip archive takes comes back") {
  const TemporaryFolder folder;
  const std::string path = folder.file("t.npz"), name(65'531, 'a');
  save_npz(path, {{name, counting(DType::f32, {2})}});
  CHECK(load_npz(path).at(name).data()[1] == 1.0F);
}

TEST_CASE("what no reader could take is refused before a file is there") {
  const TemporaryFolder folder;
  const std::string path = folder.file("t.npz");
  const Tensor tensor = counting(DType::f32, {1});
  const auto refused = [&](const std::vector<NamedView>& tensors, const std::string& word) {
    expect_error(ErrorCode::invalid_argument, {word}, [&] { save_npz(path, tensors); });
    CHECK(std::filesystem::is_empty(folder.path()));
  };
  refused({{"a", tensor}, {"a", tensor}}, "two tensors are called 'a'");
  refused({{"\xff", tensor}}, "no UTF-8");
  refused({{std::string("a\0b", 3), tensor}}, "NUL");
  refused({{std::string(65'532, 'a'), tensor}}, "longer than the 65531 bytes");
  refused({{"a", TensorView()}}, "save");
  refused({}, "no array");
  expect_error(ErrorCode::io, {"/dev/full"}, [&] { save_npz("/dev/full", {{"a", tensor}}); });
}
