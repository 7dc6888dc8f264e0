// Writes a file so that nobody ever sees half of it: into a temporary file of the same folder that is renamed at the
// end. Devices and pipes are written directly, for they cannot be replaced.
#pragma once

#include <sys/types.h>

#include <string>

#include "file_bytes.hpp"

namespace headwise {

class FileWriter {
 public:
  // Throws Error(io). /dev/stdout means the open descriptor, so that a redirected output is continued and not replaced.
  explicit FileWriter(const std::string& path);
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  // Removes the temporary file of a write that was not finished.
  ~FileWriter();

  void write(const void* bytes, std::uint64_t count);
  // Closes the file and gives it its name.
  void finish();

 private:
  void open_directly();
  void open_temporary();

  std::string path_;
  std::string target_;     // where a symbolic link leads
  std::string temporary_;  // empty when written directly or renamed
  FileDescriptor descriptor_;
};

}  // namespace headwise
