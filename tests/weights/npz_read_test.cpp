// .npz files that numpy wrote, and what is read from them.
#include <filesystem>
#include <thread>

#include "headwise/files.hpp"
#include "npz_files.hpp"

using namespace headwise;

namespace {

const std::string fixtures = HEADWISE_TEST_DATA;

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
