// What can stand in the place of a file, for each reader: an error at once, never a wait, and never a byte read.
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "expect_error.hpp"
#include "faulty_io.hpp"
#include "headwise/weights.hpp"
#include "readings.hpp"
#include "temporary_folder.hpp"

using namespace headwise;

namespace {

std::string good_bytes(const Reading& reading) {
  return read_bytes(good_folder() + reading.name);
}

// Of regular files in all of a folder.
std::int64_t bytes_in(const TemporaryFolder& folder) {
  std::uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
    if (std::filesystem::is_regular_file(entry.symlink_status())) bytes += entry.file_size();
  }
  return static_cast<std::int64_t>(bytes);
}

// An error of the file system, for each reader, which reads nothing but what else a model is made of; make puts
// something under the path.
template <class Make>
void check_kind(const std::string& problem, const Make& make) {
  const std::size_t descriptors = open_descriptors();
  for (const Reading& reading : readings()) {
    CAPTURE(reading.name);
    const TemporaryFolder folder;
    const std::string path = place_in(folder, reading);
    make(path);
    const std::int64_t before = bytes_read();
    expect_error(ErrorCode::io, {path, problem}, [&] { reading.read(path); });
    CHECK(bytes_read() - before <= bytes_in(folder));
  }
  CHECK(open_descriptors() == descriptors);
}

void make_socket(const std::string& path) {
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  REQUIRE(path.size() < sizeof address.sun_path);
  std::strcpy(address.sun_path, path.c_str());
  REQUIRE(::bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  ::close(descriptor);
}

void link_to(const std::string& target, const std::string& path) {
  REQUIRE(::symlink(target.c_str(), path.c_str()) == 0);
}

// Root may read everything, so the right is given up for a while.
class WithoutRights {
 public:
  WithoutRights() { REQUIRE((::geteuid() != 0 || ::seteuid(65534) == 0)); }
  ~WithoutRights() { CHECK(::seteuid(::getuid()) == 0); }
};

}  // namespace

TEST_CASE("the good files are read") {
  for (const Reading& reading : readings()) CHECK(!reading.read(good_folder() + reading.name).empty());
}

TEST_CASE("a FIFO, a directory, a device") {
  const char* problem = "not a regular file";
  check_kind(problem, [](const std::string& path) { REQUIRE(::mkfifo(path.c_str(), 0600) == 0); });
  // A folder may stand for a model, so some readers say that there is none in it.
  check_kind("", [](const std::string& path) { REQUIRE(::mkdir(path.c_str(), 0700) == 0); });
  check_kind(problem, [](const std::string& path) { link_to("/dev/zero", path); });
  check_kind(problem, [](const std::string& path) { link_to("/dev/null", path); });
  check_kind(problem, [](const std::string& path) { link_to("/dev/random", path); });
}

TEST_CASE("a socket cannot be opened") {
  check_kind("cannot open", make_socket);
}

TEST_CASE("a file without the right to read it") {
  for (const Reading& reading : readings()) {
    CAPTURE(reading.name);
    const TemporaryFolder folder;
    const std::string path = place_in(folder, reading);
    folder.write(reading.name, good_bytes(reading));
    REQUIRE(::chmod(folder.path().c_str(), 0755) == 0);
    REQUIRE(::chmod(path.c_str(), 0) == 0);
    const WithoutRights nobody;
    expect_error(ErrorCode::io, {path, "Permission denied"}, [&] { reading.read(path); });
  }
}

TEST_CASE("a good file behind a symbolic link is read") {
  for (const Reading& reading : readings()) {
    const TemporaryFolder folder;
    std::filesystem::copy(good_folder(), folder.path(), std::filesystem::copy_options::recursive);
    const std::string path = folder.file(reading.name);
    REQUIRE(::unlink(path.c_str()) == 0);
    link_to(good_folder() + reading.name, path);
    CHECK(reading.read(path) == reading.read(good_folder() + reading.name));
  }
}

TEST_CASE("a link that leads nowhere is no file that is absent") {
  check_kind("No such file", [](const std::string& path) { link_to("absent", path); });
  check_kind("No such file", [](const std::string& path) { link_to("/absent/x", path); });
  check_kind("symbolic links", [](const std::string& path) { link_to(path, path); });
}

TEST_CASE("a link to where nobody may look") {
  for (const Reading& reading : readings()) {
    CAPTURE(reading.name);
    const TemporaryFolder folder, locked;
    const std::string path = place_in(folder, reading);
    link_to(locked.write("file", good_bytes(reading)), path);
    REQUIRE(::chmod(folder.path().c_str(), 0755) == 0);
    REQUIRE(::chmod(locked.path().c_str(), 0) == 0);
    {
      const WithoutRights nobody;
      expect_error(ErrorCode::io, {path, "Permission denied"}, [&] { reading.read(path); });
    }
    REQUIRE(::chmod(locked.path().c_str(), 0700) == 0);
  }
}

TEST_CASE("an empty file, and one of /proc that is longer than it says") {
  for (const Reading& reading : readings()) {
    CAPTURE(reading.name);
    for (const char* source : {"/dev/null", "/proc/self/status", "/proc/self/maps"}) {
      const TemporaryFolder folder;
      const std::string path = place_in(folder, reading);
      if (source == std::string("/dev/null")) {
        folder.write(reading.name, "");
      } else {
        link_to(source, path);
      }
      expect_error(ErrorCode::bad_file, {path}, [&] { reading.read(path); });
    }
  }
}

TEST_CASE("another kind of file under the name is refused as what it is not") {
  for (const Reading& reading : readings()) {
    for (const Reading& other : readings()) {
      const bool taken = !reading.takes.empty() && other.name.ends_with(reading.takes);
      if (taken || good_bytes(reading) == good_bytes(other)) continue;
      CAPTURE(reading.name);
      CAPTURE(other.name);
      const TemporaryFolder folder;
      const std::string path = place_in(folder, reading);
      folder.write(reading.name, good_bytes(other));
      expect_error(ErrorCode::bad_file, {path}, [&] { reading.read(path); });
    }
  }
}

TEST_CASE("names that lead nowhere") {
  const TemporaryFolder folder;
  const std::string file = folder.write("file", "x");
  link_to("loop.safetensors", folder.file("loop.safetensors"));
  link_to("absent", folder.file("dangling.npy"));
  for (const Reading& reading : readings()) {
    // Where there is no config.json there is none, and those of a model have their own names.
    if (reading.name == "config.json" || reading.in_model()) continue;
    CAPTURE(reading.name);
    const std::string long_name(300, 'n');
    for (const std::string& path : {std::string(), folder.file("absent"), folder.file("loop.safetensors"),
                                    folder.file("dangling.npy"), file + "/", file + "/x", folder.file(long_name)}) {
      CAPTURE(path);
      expect_error(ErrorCode::io, {"cannot open"}, [&] { reading.read(path); });
    }
    for (const std::string& cut : {file, folder.path().string(), good_folder()}) {
      expect_error(ErrorCode::io, {"NUL"}, [&] { reading.read(cut + std::string("\0x", 2)); });
    }
  }
  for (const std::string& cut : {folder.path().string(), folder.file("absent")}) {
    expect_error(ErrorCode::io, {"NUL"}, [&] { heads_from_config(cut + std::string("\0x", 2)); });
  }
}
