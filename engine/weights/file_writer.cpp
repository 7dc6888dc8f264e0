#include "file_writer.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <utility>

#include "headwise/error.hpp"
#include "text.hpp"

namespace headwise {
namespace {

std::optional<struct stat> examine(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return status;
}

int open_retrying(const std::string& path, int flags) {
  int descriptor;
  do {
    descriptor = ::open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY, 0666);
  } while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

// A short name of its own: the target's name plus a suffix might exceed the system's limit.
std::string temporary_name(const std::string& target) {
  static std::atomic<unsigned> counter{0};
  const std::filesystem::path folder = std::filesystem::path(target).parent_path();
  return (folder / (".headwise-" + std::to_string(::getpid()) + "-" + std::to_string(counter++) + ".tmp")).string();
}

// The file behind a symbolic link, so that a rename replaces the file and not the link.
std::string follow_links(const std::string& path) {
  std::error_code error;
  const std::filesystem::path target = std::filesystem::canonical(path, error);
  return error ? path : target.string();
}

}  // namespace

FileWriter::FileWriter(const std::string& path) : path_(path), target_(path) {
  if (path.find('\0') != std::string::npos) {
    throw Error(ErrorCode::io, in_quotes(path) + ": a file name cannot contain a NUL byte");
  }
  const auto status = examine(path);
  if (path == "/dev/stdout" || (status && !S_ISREG(status->st_mode))) {
    open_directly();
    return;
  }
  if (status) target_ = follow_links(path);
  open_temporary();
  // A file that is replaced keeps its permissions; where the system refuses that, the new file has the usual ones.
  if (status && ::fchmod(descriptor_.get(), status->st_mode & 07777) != 0) errno = 0;
}

FileWriter::~FileWriter() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void FileWriter::open_directly() {
  const bool is_output = path_ == "/dev/stdout";
  descriptor_ = FileDescriptor(is_output ? ::dup(STDOUT_FILENO) : open_retrying(path_, O_WRONLY));
  if (descriptor_.get() < 0) throw_errno(path_, "cannot open for writing");
}

void FileWriter::open_temporary() {
  // O_EXCL follows no link and touches no file of somebody else; a name left by a crashed process is stepped over.
  std::string name;
  int descriptor = -1;
  for (int attempt = 0; attempt < 100 && descriptor < 0; ++attempt) {
    name = temporary_name(target_);
    descriptor = open_retrying(name, O_WRONLY | O_CREAT | O_EXCL);
    if (descriptor < 0 && errno != EEXIST) break;
  }
  if (descriptor < 0) throw_errno(path_, "cannot create a file beside");
  descriptor_ = FileDescriptor(descriptor);
  temporary_ = std::move(name);  // a copy might find no memory, and the file would stay
}

void FileWriter::write(const void* bytes, std::uint64_t count) {
  const char* from = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t written = ::write(descriptor_.get(), from, count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_errno(path_, "cannot write");
    if (written == 0) throw Error(ErrorCode::io, "cannot write " + in_quotes(path_) + ": it takes no more bytes");
    from += written;
    count -= static_cast<std::uint64_t>(written);
  }
}

void FileWriter::finish() {
  // Some file systems report a full disk only here. EINTR still closes the descriptor on Linux.
  if (::close(descriptor_.release()) != 0 && errno != EINTR) throw_errno(path_, "cannot write");
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) throw_errno(path_, "cannot rename to");
  temporary_.clear();
}

}  // namespace headwise
