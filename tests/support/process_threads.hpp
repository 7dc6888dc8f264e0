// The threads of this process, as the kernel lists them.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
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
