#include <new>

#include "file_writer.hpp"
#include "headwise/files.hpp"
#include "out_of_memory.hpp"
#include "text.hpp"

namespace headwise {

void save_bytes(const std::string& path, std::string_view bytes) try {
  FileWriter writer(path);
  writer.write(bytes.data(), bytes.size());
  writer.finish();
} catch (const std::bad_alloc&) {
  throw_out_of_memory([&] { return in_quotes(path) + ": no memory to write it"; });
}

}  // namespace headwise
