// Files of /proc and /sys.
#pragma once

#include <string>

namespace headwise::threads {

// What a file holds, at most `most` bytes; "" when it cannot be read.
std::string read_small_file(const std::string& path, std::size_t most = 256);

}  // namespace headwise::threads
