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

// The first of some names beside the target that `make` can take; "" and errno when it takes none. A name that a
// crashed process left behind is stepped over.
template <class Make>
std::string make_beside(const std::string& target, Make make) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::string name = temporary_name(target);
    if (make(name.c_str())) return name;  // a copy might find no memory, and the file would stay
    if (errno != EEXIST) break;
  }
  return "";
}

// The file behind a symbolic link, so that a rename replaces the file and not the link.
std::string follow_links(const std::string& path) {
  std::error_code error;
  const std::filesystem::path target = std::filesystem::canonical(path, error);
  return error ? path : target.string();
}

// Where it leads may be a mistake, and to replace it loses it: cp refuses it as well.
void refuse_dangling_link(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_symlink(path, ignored)) return;
  throw Error(ErrorCode::io,
              "cannot write " + in_quotes(path) +
                  ": it is a symbolic link to a file that is not there; remove the link or make the file");
}

}  // namespace

FileWriter::FileWriter(const std::string& path) : path_(path), target_(path) {
  check_file_name(path);
  const auto status = examine(path);
  if (path == "/dev/stdout" || (status && !S_ISREG(status->st_mode))) {
    open_directly();
    return;
  }
  is_new_ = true;
  if (!status) refuse_dangling_link(path);
  if (status) target_ = follow_links(path);
  if (!open_unnamed()) open_temporary();
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

// A file without a name goes with its process, however that ends. Some file systems have none, and where there is no
// /proc it could not get a name later.
bool FileWriter::open_unnamed() {
  const std::filesystem::path folder = std::filesystem::path(target_).parent_path();
  FileDescriptor descriptor(open_retrying(folder.empty() ? "." : folder.string(), O_WRONLY | O_TMPFILE));
  const bool supported = descriptor.get() >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL);
  if (!supported) return false;
  if (descriptor.get() < 0) throw_errno(path_, "cannot create a file beside");
  descriptor_ = std::move(descriptor);
  return ::access(own_link().c_str(), F_OK) == 0;
}

void FileWriter::open_temporary() {
  // O_EXCL follows no link and touches no file of somebody else.
  temporary_ = make_beside(target_, [this](const char* name) {
    descriptor_ = FileDescriptor(open_retrying(name, O_WRONLY | O_CREAT | O_EXCL));
    return descriptor_.get() >= 0;
  });
  if (temporary_.empty()) throw_errno(path_, "cannot create a file beside");
}

// A link cannot replace a file, so it gets a name of its own and is renamed at once.
void FileWriter::name_unnamed() {
  temporary_ = make_beside(target_, [link = own_link()](const char* name) {
    return ::linkat(AT_FDCWD, link.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
  });
  if (temporary_.empty()) throw_errno(path_, "cannot create a file beside");
}

std::string FileWriter::own_link() const {
  return "/proc/self/fd/" + std::to_string(descriptor_.get());
}

std::string FileWriter::path_to_read() const {
  if (!is_new_) throw Error(ErrorCode::io, in_quotes(path_) + " is no regular file and cannot be read back");
  return temporary_.empty() ? own_link() : temporary_;
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
  if (is_new_ && temporary_.empty()) name_unnamed();
  // Some file systems report a full disk only here. EINTR still closes the descriptor on Linux.
  if (::close(descriptor_.release()) != 0 && errno != EINTR) throw_errno(path_, "cannot write");
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) throw_errno(path_, "cannot rename to");
  temporary_.clear();
}

}  // namespace headwise
