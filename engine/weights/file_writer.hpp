// Writes a file so that nobody ever sees half of it: into a file without a name, or a temporary one where the file
// system has no such files, that gets its name at the end. Devices and pipes are written directly, for they cannot be
// replaced.
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
  // Where this process can read what it has written, before finish. Throws Error(io) for what is written directly.
  std::string path_to_read() const;
  // Closes the file and gives it its name.
  void finish();

 private:
  void open_directly();
  bool open_unnamed();
  void open_temporary();
  void name_unnamed();
  std::string own_link() const;

  std::string path_;
  std::string target_;     // where a symbolic link leads
  std::string temporary_;  // the name that is renamed; empty while there is none
  bool is_new_ = false;    // else it is written directly
  FileDescriptor descriptor_;
};

}  // namespace headwise
