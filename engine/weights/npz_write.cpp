#include <deque>
#include <memory>
#include <new>

#include "file_writer.hpp"
#include "headwise/files.hpp"
#include "named_views.hpp"
#include "npy_write.hpp"
#include "out_of_memory.hpp"
#include "text.hpp"
#include "view_bytes.hpp"
#include "zip_bytes.hpp"

namespace headwise {
namespace {

constexpr std::size_t max_name = 65'535 - 4;  // without its ".npy"

[[noreturn]] void refuse(const std::string& path, const std::string& problem) {
  throw Error(ErrorCode::invalid_argument, in_quotes(path) + ": " + problem);
}

// What libzip says when it only works in memory; where that runs out it may forget to say so.
[[noreturn]] void fail(zip_error_t* error) {
  const int code = zip_error_code_zip(error);
  if (code == ZIP_ER_MEMORY || code == ZIP_ER_OK) throw std::bad_alloc();
  throw Error(ErrorCode::internal, std::string("libzip: ") + zip_error_strerror(error));
}

struct FreeSource {
  void operator()(zip_source_t* source) const noexcept { zip_source_free(source); }
};
using Source = std::unique_ptr<zip_source_t, FreeSource>;

struct DiscardArchive {
  void operator()(zip_t* archive) const noexcept { zip_discard(archive); }
};
using Archive = std::unique_ptr<zip_t, DiscardArchive>;

// An array as libzip takes it: pieces that it does not own.
struct ArrayBytes {
  std::string start;
  ViewBytes elements;
  zip_buffer_fragment_t pieces[2];

  explicit ArrayBytes(const TensorView& tensor) : start(npy_preamble(tensor.dtype, tensor.shape)), elements(tensor) {
    pieces[0] = {reinterpret_cast<zip_uint8_t*>(start.data()), start.size()};
    pieces[1] = {static_cast<zip_uint8_t*>(const_cast<void*>(elements.data())), elements.size()};
  }
  ArrayBytes(const ArrayBytes&) = delete;
  ArrayBytes& operator=(const ArrayBytes&) = delete;
};

// A zip archive would cut the one and has no room for the other.
void check_name(const std::string& name, const std::string& path) {
  if (name.find('\0') != std::string::npos) refuse(path, "the name " + in_quotes(name) + " contains a NUL");
  if (name.size() <= max_name) return;
  refuse(path,
         "the name " + in_quotes(name) + " is longer than the " + std::to_string(max_name) + " bytes of a .npz file");
}

void set_up(zip_t* archive, zip_uint64_t entry) {
  constexpr zip_uint16_t midnight = 0, first_of_1980 = 0x21;  // the earliest date that zip knows
  if (zip_set_file_compression(archive, entry, ZIP_CM_STORE, 0) != 0) fail(zip_get_error(archive));
  if (zip_file_set_dostime(archive, entry, midnight, first_of_1980, 0) != 0) fail(zip_get_error(archive));
}

void add(zip_t* archive, const std::string& name, const ArrayBytes& array) {
  const std::string entry_name = name + ".npy";  // before there is a source that must not be lost
  const zip_uint64_t pieces = array.elements.size() > 0 ? 2 : 1;
  zip_source_t* source = zip_source_buffer_fragment(archive, array.pieces, pieces, 0);
  if (source == nullptr) fail(zip_get_error(archive));
  const zip_int64_t entry = zip_file_add(archive, entry_name.c_str(), source, ZIP_FL_ENC_UTF_8);
  if (entry >= 0) return set_up(archive, static_cast<zip_uint64_t>(entry));
  zip_source_free(source);
  fail(zip_get_error(archive));
}

// The archive in memory; libzip would otherwise make a temporary file of its own.
Source make_archive(const std::vector<const NamedView*>& order) {
  ZipError error;
  Source memory(zip_source_buffer_create(nullptr, 0, 0, error.get()));
  if (!memory) fail(error.get());
  Archive archive(zip_open_from_source(memory.get(), ZIP_TRUNCATE, error.get()));
  if (!archive) fail(error.get());
  zip_source_keep(memory.get());  // one owner here, one in the archive
  std::deque<ArrayBytes> arrays;  // read when the archive is closed
  for (const NamedView* view : order) add(archive.get(), view->name, arrays.emplace_back(view->tensor));
  if (zip_close(archive.get()) != 0) fail(zip_get_error(archive.get()));
  static_cast<void>(archive.release());  // closing freed it
  return memory;
}

void copy(zip_source_t* from, FileWriter& to) {
  std::vector<char> piece(1u << 20);
  if (zip_source_open(from) != 0) fail(zip_source_error(from));
  for (;;) {
    const zip_int64_t got = zip_source_read(from, piece.data(), piece.size());
    if (got < 0) fail(zip_source_error(from));
    if (got == 0) break;
    to.write(piece.data(), static_cast<std::uint64_t>(got));
  }
  zip_source_close(from);
}

}  // namespace

void save_npz(const std::string& path, const std::vector<NamedView>& tensors, const WrittenCheck& check) try {
  const std::vector<const NamedView*> order = sorted_views(tensors, path);
  // libzip would remove the file.
  if (order.empty()) refuse(path, "there is no array to write");
  for (const NamedView* view : order) check_name(view->name, path);
  const Source archive = make_archive(order);
  FileWriter writer(path);
  copy(archive.get(), writer);
  if (check) check(WeightFile::open(writer.path_to_read()));
  writer.finish();
} catch (const std::bad_alloc&) {
  throw_out_of_memory([&] { return in_quotes(path) + ": no memory to write it"; });
}

}  // namespace headwise
