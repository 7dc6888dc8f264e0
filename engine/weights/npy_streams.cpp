// .npy arrays through the caller's functions.
#include <cstdint>
#include <new>

#include "headwise/error.hpp"
#include "headwise/npy.hpp"
#include "npy_read.hpp"
#include "npy_write.hpp"
#include "out_of_memory.hpp"
#include "text.hpp"
#include "view_bytes.hpp"

namespace headwise {
namespace {

// Nobody knows how long it is before it ends.
class CallerStream final : public ByteStream {
 public:
  CallerStream(const ByteReader& reader, const std::string& name) : reader_(reader), name_(name) {}
  std::string where() const override { return in_quotes(name_); }
  std::uint64_t size() const noexcept override { return UINT64_MAX; }
  void read(void* to, std::uint64_t count, const Progress&) override {
    for (auto* next = static_cast<char*>(to); count > 0;) {
      const std::size_t got = reader_(next, count);
      if (got == 0) refuse_end(count);
      if (got > count) refuse_count(got, count);
      next += got;
      count -= got;
    }
  }

 private:
  [[noreturn]] void refuse_end(std::uint64_t missing) const {
    throw Error(ErrorCode::bad_file, where() + ": it ends " + std::to_string(missing) +
                                         " bytes before the end of what a .npy file has to hold here");
  }

  [[noreturn]] void refuse_count(std::size_t got, std::uint64_t wanted) const {
    throw Error(ErrorCode::invalid_argument, where() + ": its reader was asked for at most " + std::to_string(wanted) +
                                                 " bytes and says that it gave " + std::to_string(got));
  }

  const ByteReader& reader_;
  const std::string& name_;
};

}  // namespace

Tensor read_npy(const ByteReader& read, const std::string& name) try {
  if (!read) throw Error(ErrorCode::invalid_argument, "read_npy: there is no function to read by");
  CallerStream stream(read, name);
  return read_npy_data(stream, read_npy_start(stream));
} catch (const std::bad_alloc&) {
  throw_out_of_memory([&] { return in_quotes(name) + ": no memory to read it"; });
}

void write_npy(const ByteWriter& write, const TensorView& tensor) try {
  if (!write) throw Error(ErrorCode::invalid_argument, "write_npy: there is no function to write by");
  const ViewBytes bytes(tensor);
  const std::string start = npy_preamble(tensor.dtype, tensor.shape);
  write(start.data(), start.size());
  write(bytes.data(), static_cast<std::size_t>(bytes.size()));
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory to write an array");
}

}  // namespace headwise
