// .npz files that numpy wrote, and archives made byte by byte.
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "expect_error.hpp"
#include "headwise/files.hpp"
#include "headwise/weights.hpp"
#include "temporary_folder.hpp"
#include "zip_writer.hpp"

using namespace headwise;

namespace {

const std::string fixtures = HEADWISE_TEST_DATA;

Tensor counting(const Dims& shape, DType dtype = DType::f32) {
  Tensor tensor(DType::i64, shape);
  for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.data<std::int64_t>()[i] = i;
  return convert(tensor, dtype);
}

ZipEntry array(const std::string& name, const Dims& shape = {2, 3}) {
  return {name + ".npy", npy_bytes(counting(shape), "<f4")};
}

void open_bytes(const std::string& bytes) {
  const TemporaryFolder folder;
  const WeightFile file = WeightFile::open(folder.write("t.npz", bytes));
  for (const TensorInfo& info : file.tensors()) file.read(info.name);
}

void refused(const std::string& bytes, const std::vector<std::string>& words) {
  expect_error(ErrorCode::bad_file, words, [&] { open_bytes(bytes); });
}

double number(const Tensor& tensor, std::int64_t i) {
  return convert(tensor, DType::f64).data<double>()[i];
}

}  // namespace

TEST_CASE("what numpy wrote, compressed and not") {
  for (const char* name : {"/arrays.npz", "/arrays_compressed.npz"}) {
    CAPTURE(name);
    const WeightFile file = WeightFile::open(fixtures + name);
    CHECK(std::string(file.format()) == "npz");
    CHECK(file.metadata().empty());
    CHECK(file.tensors().size() == 8);
    CHECK(file.find("a/f4")->shape == std::vector<std::uint64_t>{2, 3});
    CHECK(file.find("a/f4")->dtype == "F32");
    const Tensor plain = file.read("a/f4"), fortran = file.read("fortran");
    for (int i = 0; i < 6; ++i) {
      CHECK(plain.data()[i] == static_cast<float>(i));
      CHECK(number(fortran, i) == i);
      CHECK(number(file.read("big_endian"), i) == i);
      CHECK(number(file.read("f2"), i) == i);
    }
    CHECK(file.read("scalar").shape().rank() == 0);
    CHECK(file.read("scalar").data<std::int32_t>()[0] == -7);
    CHECK(file.read("empty").shape() == Dims{0, 4});
    CHECK(file.read("\xc3\xa9").data<bool>()[1]);
    const Tensor zeros = file.read("zeros");
    CHECK(zeros.size() == 500);
    CHECK(number(zeros, 499) == 0);
  }
}

TEST_CASE("load_npz gives all arrays by name") {
  const auto tensors = load_npz(fixtures + "/arrays_compressed.npz");
  CHECK(tensors.size() == 8);
  CHECK(tensors.at("a/f4").data()[5] == 5.0F);
  CHECK(tensors.at("\xc3\xa9").dtype() == DType::boolean);
  expect_error(ErrorCode::io, {"absent.npz"}, [] { load_npz("absent.npz"); });
}

TEST_CASE("tensors are listed in the archive's order with the bytes of their data") {
  const TemporaryFolder folder;
  const WeightFile file =
      WeightFile::open(folder.write("t.npz", zip_bytes({array("z"), deflated_entry("a.npy", array("a", {5}).data)})));
  REQUIRE(file.tensors().size() == 2);
  CHECK(file.tensors()[0].name == "z");
  CHECK(file.tensors()[1].begin == 24);
  CHECK(file.tensors()[1].end == 44);
  CHECK(file.read("a").data()[4] == 4.0F);
  expect_error(ErrorCode::invalid_argument, {"t.npz", "'z.npy'"}, [&] { file.read("z.npy"); });
}

TEST_CASE("arrays of a type without a tensor are listed but not read") {
  const TemporaryFolder folder;
  const ZipEntry object{"o.npy", npy_bytes("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", "pickle")};
  const WeightFile file = WeightFile::open(folder.write("t.npz", zip_bytes({object, array("a")})));
  CHECK(file.find("o")->dtype == "unsupported");
  expect_error(ErrorCode::unsupported, {"t.npz", "'o.npy'", "|O"}, [&] { file.read("o"); });
  CHECK(file.read("a").data()[1] == 1.0F);
}

TEST_CASE("each .npy case file means in an archive what it means alone") {
  for (const auto& entry : std::filesystem::directory_iterator(fixtures + "/cases")) {
    if (entry.path().extension() != ".npy") continue;
    const std::string path = entry.path().string();
    CAPTURE(path);
    std::optional<ErrorCode> alone, inside;
    Tensor expected, found;
    try {
      expected = load_npy(path);
    } catch (const Error& error) {
      alone = error.code();
    }
    const TemporaryFolder folder;
    for (const bool deflate : {false, true}) {
      const ZipEntry stored{"x.npy", read_bytes(path)};
      try {
        const std::string bytes = zip_bytes({deflate ? deflated_entry("x.npy", stored.data) : stored});
        found = WeightFile::open(folder.write("t.npz", bytes)).read("x");
      } catch (const Error& error) {
        inside = error.code();
      }
      if (path.find("b23_trailing") != std::string::npos) alone = ErrorCode::bad_file;  // the one stricter rule
      CHECK(alone == inside);
      if (inside) continue;
      CHECK(found.shape() == expected.shape());
      for (std::int64_t i = 0; i < found.size(); ++i) CHECK(number(found, i) == number(expected, i));
    }
  }
}

TEST_CASE("an entry that is no array is refused, an empty folder is nothing") {
  refused(zip_bytes({array("a"), {"README.txt", "hello"}}), {"t.npz", "'README.txt'", ".npy"});
  refused(zip_bytes({{"archive/data.pkl", "\x80\x02"}}), {"data.pkl", "PyTorch", "safetensors"});
  refused(zip_bytes({{"a.npy", "no array"}}), {"'a.npy'", "magic"});
  refused(zip_bytes({{"a.npy", ""}}), {"'a.npy'", "magic"});
  refused(zip_bytes({{"f/", "not empty"}}), {"'f/'"});
  CHECK_NOTHROW(open_bytes(zip_bytes({{"f/", ""}, array("f/a")})));
  ZipEntry longer = array("a");
  longer.data += "x";
  refused(zip_bytes({longer}), {"'a.npy'", "bytes follow the array"});
}

TEST_CASE("names: twice, cut by a NUL, in another code page") {
  constexpr std::uint16_t utf8 = 1u << 11;
  refused(zip_bytes({array("a"), array("b"), array("a")}), {"t.npz", "the same name"});
  for (const std::uint16_t flags : {std::uint16_t{0}, utf8}) {
    ZipEntry cut = array("a");
    cut.name += std::string("\0.txt", 5);
    cut.flags = flags;
    refused(zip_bytes({cut, array("a")}), {"t.npz"});
  }
  // Bytes that could be UTF-8, but are not marked as that, are code page 437.
  const std::string drawn = "\xe2\x94\x9c\xe2\x8c\x90";
  ZipEntry marked = array(drawn);
  marked.flags = utf8;
  refused(zip_bytes({array("\xc3\xa9"), marked}), {"the same name, '" + drawn + ".npy'"});
  const TemporaryFolder folder;
  const WeightFile file = WeightFile::open(folder.write("t.npz", zip_bytes({array("\x82")})));
  CHECK(file.find("\xc3\xa9") != nullptr);  // é of code page 437
}

TEST_CASE("sizes that the compressed bytes cannot become are refused before anything is sized by them") {
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (268435456,), }";
  ZipEntry bomb = deflated_entry("a.npy", npy_bytes(header, "data"));
  bomb.size = bomb.data.size() - 5 + (1u << 30) - 4;
  refused(zip_bytes({bomb}), {"'a.npy'", "cannot come out of"});
  ZipEntry stored = array("a");
  stored.size = stored.data.size() + 1;
  refused(zip_bytes({stored}), {"'a.npy'"});
  // Within the ratio, but the data is not there.
  ZipEntry early = deflated_entry("a.npy", array("a").data);
  early.size += 4;
  early.data = deflated(npy_bytes("{'descr': '<f4', 'fortran_order': False, 'shape': (7,), }", std::string(24, 'x')));
  early.size = early.data.size() - 5 + 4;
  refused(zip_bytes({early}), {"'a.npy'"});
  ZipEntry late = deflated_entry("a.npy", array("a").data + "more");
  late.size -= 4;
  refused(zip_bytes({late}), {"'a.npy'"});
}

TEST_CASE("damaged data is found by its checksum") {
  ZipEntry wrong = array("a");
  wrong.checksum = 5;
  refused(zip_bytes({wrong}), {"'a.npy'", "CRC"});
  wrong = deflated_entry("a.npy", array("a").data);
  wrong.checksum = 5;
  refused(zip_bytes({wrong}), {"'a.npy'", "CRC"});
  wrong = deflated_entry("a.npy", array("a").data);
  wrong.data[0] = 7;  // a block of a kind that does not exist
  refused(zip_bytes({wrong}), {"'a.npy'"});
}

TEST_CASE("entries that share bytes, encryption and other methods are refused") {
  const std::string big = npy_bytes(counting({5000}), "<f4");
  ZipEntry first{"0.npy", big}, other{"1.npy", big};
  other.only_in_directory = true;
  refused(zip_bytes({first, other}), {"t.npz"});
  ZipEntry encrypted = array("a");
  encrypted.flags = 1;
  refused(zip_bytes({encrypted}), {"'a.npy'", "encrypted"});
  for (const int method : {1, 9, 12, 14, 93, 99}) {
    ZipEntry entry = array("a");
    entry.method = static_cast<std::uint16_t>(method);
    refused(zip_bytes({entry}), {"t.npz"});
  }
}

TEST_CASE("zip64 is read, absurd counts of entries are not believed") {
  ZipEnd end;
  end.zip64 = true;
  CHECK_NOTHROW(open_bytes(zip_bytes({array("a")}, end)));
  for (const std::uint64_t count : {2ull, 65'537ull, 1ull << 27, 1ull << 60, ~0ull}) {
    end.announced = count;
    refused(zip_bytes({array("a")}, end), {"t.npz"});
  }
  end.announced = 65'537;
  refused(zip_bytes({array("a")}, end), {"65537 entries"});
  end = {};
  end.announced = 2;
  refused(zip_bytes({array("a")}, end), {"t.npz"});
  end.announced = 65'535;
  refused(zip_bytes({array("a")}, end), {"t.npz"});
  // A vast sparse file whose directory would be all of it.
  const TemporaryFolder folder;
  const std::string path = folder.write("t.npz", "");
  REQUIRE(::truncate(path.c_str(), 5ll << 30) == 0);
  const std::string tail = zip64_end((5ull << 30) / 46, 5ull << 30, 0) + zip_bytes({}).substr(0, 22);
  std::ofstream(path, std::ios::binary | std::ios::app) << tail;
  expect_error(ErrorCode::bad_file, {"entries, more than the limit"}, [&] { WeightFile::open(path); });
}

TEST_CASE("bytes before or behind an archive are refused, as is no archive") {
  const std::string whole = zip_bytes({array("a")});
  refused("junk" + whole, {"t.npz"});
  refused(whole + "junk", {"t.npz"});
  refused("", {"t.npz"});
  refused("PK\x03\x04", {"t.npz"});
  refused(std::string(100'000, 'x'), {"t.npz"});
}

TEST_CASE("an archive cut at any byte is refused") {
  const std::string whole = zip_bytes({array("a"), deflated_entry("b.npy", array("b").data)});
  for (std::size_t length = 0; length < whole.size(); ++length) {
    CAPTURE(length);
    refused(whole.substr(0, length), {"t.npz"});
  }
  CHECK_NOTHROW(open_bytes(whole));
}

TEST_CASE("every byte of an archive may be damaged without a crash") {
  const std::string whole = zip_bytes({array("a"), deflated_entry("b.npy", array("b").data)});
  int refusals = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const int value : {0x00, 0x01, 0x7f, 0xff}) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(value);
      try {
        open_bytes(damaged);
      } catch (const Error&) {
        ++refusals;
      }
    }
  }
  CHECK(refusals > 500);
}

TEST_CASE("an archive that shrinks or changes after it was opened is an error, never another shape") {
  const TemporaryFolder folder;
  const std::string path = folder.write("t.npz", zip_bytes({array("a", {2, 3})}));
  const WeightFile file = WeightFile::open(path);
  CHECK(file.read("a").data()[5] == 5.0F);
  {
    std::fstream stream(path, std::ios::in | std::ios::out | std::ios::binary);
    stream << zip_bytes({array("a", {3, 2})});
  }
  expect_error(ErrorCode::bad_file, {"'a.npy'", "CRC"}, [&] { file.read("a"); });
  REQUIRE(::truncate(path.c_str(), 60) == 0);
  expect_error(ErrorCode::io, {"shrunk"}, [&] { file.read("a"); });
}

TEST_CASE("threads and progress callbacks may read other arrays meanwhile") {
  const WeightFile file = WeightFile::open(fixtures + "/arrays_compressed.npz");
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int repeat = 0; repeat < 50; ++repeat) right += file.read("a/f4").data()[5] == 5.0F;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(right == 200);
  std::uint64_t done = 0, inner = 0;
  const Tensor zeros = file.read("zeros", [&](std::uint64_t now, std::uint64_t) {
    done = now;
    inner += file.read("a/f4").data()[5] == 5.0F;
  });
  CHECK(done == 4000);
  CHECK(inner > 0);
  CHECK(number(zeros, 0) == 0);
}
