#include "zip_bytes.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "headwise/error.hpp"
#include "text.hpp"

namespace headwise {

void ZipBytes::rethrow() {
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

zip_int64_t ZipBytes::answer(void* self, void* data, zip_uint64_t length, zip_source_cmd_t command) noexcept {
  auto& bytes = *static_cast<ZipBytes*>(self);
  switch (command) {
    case ZIP_SOURCE_OPEN:
      bytes.position_ = 0;
      return 0;
    case ZIP_SOURCE_READ:
      return bytes.read(data, length);
    case ZIP_SOURCE_CLOSE:
    case ZIP_SOURCE_FREE:
    case ZIP_SOURCE_ACCEPT_EMPTY:  // a file of no bytes is no archive
      return 0;
    case ZIP_SOURCE_STAT:
      return bytes.describe(data);
    case ZIP_SOURCE_ERROR:
      return zip_error_to_data(bytes.error_.get(), data, length);
    case ZIP_SOURCE_SEEK:
      return bytes.seek(data, length);
    case ZIP_SOURCE_TELL:
      return static_cast<zip_int64_t>(bytes.position_);
    case ZIP_SOURCE_SUPPORTS:
      return ZIP_SOURCE_SUPPORTS_SEEKABLE | ZIP_SOURCE_MAKE_COMMAND_BITMASK(ZIP_SOURCE_ACCEPT_EMPTY);
    default:
      zip_error_set(bytes.error_.get(), ZIP_ER_OPNOTSUPP, 0);
      return -1;
  }
}

zip_int64_t ZipBytes::read(void* to, std::uint64_t most) try {
  const std::uint64_t count = std::min(most, file_.size() - position_);
  if (count > budget_) throw Error(ErrorCode::bad_file, in_quotes(file_.path()) + ": the zip directory is too large");
  file_.read_at(position_, to, count);
  position_ += count;
  budget_ -= budget_ == UINT64_MAX ? 0 : count;
  return static_cast<zip_int64_t>(count);
} catch (...) {
  failure_ = std::current_exception();
  zip_error_set(error_.get(), ZIP_ER_READ, EIO);
  return -1;
}

zip_int64_t ZipBytes::describe(void* to) {
  zip_stat_t& status = *static_cast<zip_stat_t*>(to);
  zip_stat_init(&status);
  status.size = file_.size();
  status.valid |= ZIP_STAT_SIZE;
  return sizeof status;
}

zip_int64_t ZipBytes::seek(void* arguments, zip_uint64_t length) {
  const zip_int64_t offset = zip_source_seek_compute_offset(position_, file_.size(), arguments, length, error_.get());
  if (offset < 0) return -1;
  position_ = static_cast<std::uint64_t>(offset);
  return 0;
}

namespace {

constexpr std::size_t locator_bytes = 20, end_bytes = 22, max_comment = 65'535;

std::uint64_t number_at(std::string_view bytes, std::size_t offset) {
  std::uint64_t number;
  std::memcpy(&number, bytes.data() + offset, sizeof number);
  return number;
}

// 0 when there is no zip64 end record at this offset.
std::uint64_t entries_announced_at(const InputFile& file, std::uint64_t offset) {
  char record[56] = {};
  if (file.size() < sizeof record || offset > file.size() - sizeof record) return 0;
  file.read_at(offset, record, sizeof record);
  return std::memcmp(record, "PK\x06\x06", 4) == 0 ? number_at({record, sizeof record}, 32) : 0;
}

}  // namespace

// Whichever end record libzip chooses, the locator before it lies in this tail.
void check_announced_entries(const InputFile& file, std::uint64_t most) {
  std::string tail(std::min<std::uint64_t>(file.size(), locator_bytes + end_bytes + max_comment), '\0');
  file.read_at(file.size() - tail.size(), tail.data(), tail.size());
  for (std::size_t at = tail.find("PK\x06\x07"); at != std::string::npos; at = tail.find("PK\x06\x07", at + 1)) {
    if (tail.size() - at < locator_bytes) return;
    const std::uint64_t announced = entries_announced_at(file, number_at(tail, at + 8));
    if (announced <= most) continue;
    throw Error(ErrorCode::bad_file, in_quotes(file.path()) + ": the zip directory announces " +
                                         std::to_string(announced) + " entries, more than the limit of " +
                                         std::to_string(most));
  }
}

}  // namespace headwise
