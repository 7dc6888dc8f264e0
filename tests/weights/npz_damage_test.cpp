// Archives that are damaged, or lie about what is in them.
#include <unistd.h>

#include <cerrno>

#include "npz_files.hpp"

using namespace headwise;

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

TEST_CASE("what is no archive is a bad file, whatever failed before") {
  std::string bytes = zip_bytes({array("a"), array("b")});
  bytes[bytes.rfind("PK\x01\x02")] = 'X';  // the second record of the directory
  for (const std::string& wrong : {bytes, std::string("no archive"), bytes.substr(0, bytes.size() - 1)}) {
    errno = ENOMEM;
    refused(wrong, {"t.npz", "no sound zip archive"});
  }
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
