#include "zip_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <new>

#include "headwise/error.hpp"
#include "text.hpp"
#include "zip_bytes.hpp"

namespace headwise {
namespace {

constexpr std::uint64_t max_entries = 65'536;
constexpr std::uint64_t max_directory_bytes = 32u << 20;  // read while opening: directory and local headers
constexpr std::uint64_t max_deflate_ratio = 1032;         // 258 bytes from 2 bits
constexpr std::uint64_t piece_bytes = 1u << 20;

[[noreturn]] void refuse(const std::string& where, const std::string& problem) {
  throw Error(ErrorCode::bad_file, where + ": " + problem);
}

[[noreturn]] void refuse(const std::string& where, zip_error_t* error) {
  const int code = zip_error_code_zip(error);
  if (code == ZIP_ER_MEMORY) throw std::bad_alloc();
  if (code == ZIP_ER_EXISTS) refuse(where, "two entries have the same name");
  refuse(where, std::string("no sound zip archive: ") + zip_error_strerror(error));
}

std::string entry_words(const std::string& path, const std::string& name) {
  return in_quotes(path) + ", entry " + in_quotes(name);
}

struct CloseArchive {
  void operator()(zip_t* archive) const noexcept { zip_discard(archive); }
};
using Archive = std::unique_ptr<zip_t, CloseArchive>;

// The archive owns the source once it is open. libzip calls a file no archive where it had no memory for its directory,
// but malloc has said so.
Archive open_archive(ZipBytes& bytes) {
  ZipError error;
  zip_source_t* source = zip_source_function_create(&ZipBytes::answer, &bytes, error.get());
  if (source == nullptr) throw std::bad_alloc();
  errno = 0;
  Archive archive(zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, error.get()));
  if (archive) return archive;
  const bool no_memory = errno == ENOMEM;
  zip_source_free(source);
  bytes.rethrow();
  if (no_memory) throw std::bad_alloc();
  refuse(in_quotes(bytes.file().path()), error.get());
}

class EntryStream final : public ByteStream {
 public:
  EntryStream(zip_t* archive, ZipBytes& bytes, const ZipReader::Entry& entry)
      : bytes_(bytes), size_(entry.size), where_(entry_words(bytes.file().path(), entry.name)) {
    file_.reset(zip_fopen_index(archive, entry.index, 0));
    if (file_) return;
    bytes_.rethrow();
    refuse(where_, zip_get_error(archive));
  }

  std::string where() const override { return where_; }
  std::uint64_t size() const noexcept override { return size_; }

  void read(void* to, std::uint64_t count, const Progress& progress) override {
    for (std::uint64_t done = 0; done < count;) {
      const std::uint64_t piece = std::min(count - done, piece_bytes);
      const std::uint64_t got = read_some(static_cast<char*>(to) + done, piece);
      if (got == 0) refuse(where_, "the data ends early");
      done += got;
      if (progress) progress(done, count);
    }
    position_ += count;
    // Only at the end does libzip compare the checksum.
    char beyond;
    if (position_ == size_ && read_some(&beyond, 1) > 0) refuse(where_, "the data is longer than its size says");
  }

 private:
  struct CloseFile {
    void operator()(zip_file_t* file) const noexcept { zip_fclose(file); }
  };

  std::uint64_t read_some(void* to, std::uint64_t most) {
    const zip_int64_t got = zip_fread(file_.get(), to, most);
    if (got >= 0) return static_cast<std::uint64_t>(got);
    bytes_.rethrow();
    refuse(where_, zip_file_get_error(file_.get()));
  }

  ZipBytes& bytes_;
  std::uint64_t size_, position_ = 0;
  std::string where_;
  std::unique_ptr<zip_file_t, CloseFile> file_;
};

void check_entry(const zip_stat_t& status, const std::string& where) {
  constexpr zip_uint64_t needed =
      ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
  if ((status.valid & needed) != needed) refuse(where, "the zip directory does not describe it");
  if (status.encryption_method != ZIP_EM_NONE) refuse(where, "encrypted data is not read");
  if (status.comp_method != ZIP_CM_STORE && status.comp_method != ZIP_CM_DEFLATE) {
    refuse(where, "compression method " + std::to_string(status.comp_method) + " is not read, only deflate is");
  }
  const bool stored = status.comp_method == ZIP_CM_STORE;
  const bool possible = stored ? status.size == status.comp_size : status.size / max_deflate_ratio <= status.comp_size;
  if (!possible) {
    refuse(where, std::to_string(status.size) + " bytes cannot come out of " + std::to_string(status.comp_size));
  }
}

ZipReader::Entry describe_entry(zip_t* archive, std::uint64_t index, const std::string& path) {
  const char* name = zip_get_name(archive, index, ZIP_FL_ENC_STRICT);
  zip_stat_t status;
  zip_stat_init(&status);
  if (name == nullptr || zip_stat_index(archive, index, 0, &status) != 0) {
    refuse(in_quotes(path), zip_get_error(archive));
  }
  check_entry(status, entry_words(path, name));
  return {name, status.size, status.comp_size, index};
}

// libzip has compared names as it guesses their encoding, which is not always as they are read here.
void check_entry_names(const std::vector<ZipReader::Entry>& entries, const std::string& path) {
  std::vector<std::string_view> names;
  for (const ZipReader::Entry& entry : entries) names.push_back(entry.name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) refuse(in_quotes(path), "two entries have the same name, " + in_quotes(*twice));
}

// Entries that share bytes would let a small file hold more than any honest one of its size.
void check_compressed_sizes(const std::vector<ZipReader::Entry>& entries, const InputFile& file) {
  std::uint64_t rest = file.size();
  for (const ZipReader::Entry& entry : entries) {
    if (entry.compressed > rest) refuse(in_quotes(file.path()), "the entries of the archive overlap");
    rest -= entry.compressed;
  }
}

std::vector<ZipReader::Entry> list_entries(zip_t* archive, const InputFile& file) {
  const auto count = static_cast<std::uint64_t>(zip_get_num_entries(archive, 0));
  if (count > max_entries) refuse(in_quotes(file.path()), "more than " + std::to_string(max_entries) + " entries");
  std::vector<ZipReader::Entry> entries;
  for (std::uint64_t i = 0; i < count; ++i) entries.push_back(describe_entry(archive, i, file.path()));
  check_entry_names(entries, file.path());
  check_compressed_sizes(entries, file);
  return entries;
}

}  // namespace

struct ZipReader::State {
  explicit State(const std::string& path) : bytes(path) {}
  ZipBytes bytes;
  Archive archive;
};

ZipReader::ZipReader(const std::string& path) : state_(std::make_unique<State>(path)) {
  ZipBytes& bytes = state_->bytes;
  check_announced_entries(bytes.file(), max_entries);
  bytes.limit(max_directory_bytes);
  state_->archive = open_archive(bytes);
  bytes.limit(UINT64_MAX);
  entries_ = list_entries(state_->archive.get(), bytes.file());
}

ZipReader::~ZipReader() = default;

const std::string& ZipReader::path() const noexcept {
  return state_->bytes.file().path();
}

std::unique_ptr<ByteStream> ZipReader::open(const Entry& entry) const {
  return std::make_unique<EntryStream>(state_->archive.get(), state_->bytes, entry);
}

}  // namespace headwise
