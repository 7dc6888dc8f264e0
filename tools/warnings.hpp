// What the library has to say that is no error, for the user of the command.
#pragma once

namespace headwise::tools {

// While it lives, each warning of the library's log is one line on stderr, "headwise: warning: …", the first time that
// it is said. One at a time: the log has one handler.
class Warnings {
 public:
  Warnings();
  ~Warnings();
  Warnings(const Warnings&) = delete;
  Warnings& operator=(const Warnings&) = delete;
};

}  // namespace headwise::tools
