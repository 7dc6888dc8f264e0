// The threads of this process, as the kernel lists them.
#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

inline std::vector<std::string> thread_names() {
  std::vector<std::string> names;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::ifstream(task.path() / "comm") >> name;
    if (!name.empty()) names.push_back(name);
  }
  return names;
}

inline std::size_t thread_count() {
  return thread_names().size();
}

// Whether there are so many. A thread that has been joined may still be listed for a moment.
inline bool has_threads(std::size_t count) {
  for (int wait = 0; wait < 500 && thread_count() != count; ++wait) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return thread_count() == count;
}
