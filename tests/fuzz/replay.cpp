// Runs a fuzz target on every file of the folders that are named, without libFuzzer: what the tests replay.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "target.hpp"

namespace {

std::vector<std::filesystem::path> files_of(const char* folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  return files;
}

// The name is printed first, so that it is the last line when the target stops.
void replay(const std::filesystem::path& file) {
  std::printf("%s\n", file.filename().c_str());
  std::fflush(stdout);
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(stream), {});
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

}  // namespace

int main(int count, char** arguments) {
  std::size_t replayed = 0;
  for (int i = 1; i < count; ++i) {
    for (const auto& file : files_of(arguments[i])) {
      replay(file);
      ++replayed;
    }
  }
  std::printf("replayed %zu files: %zu calls accepted, %zu refused\n", replayed, tally().accepted, tally().refused);
  return tally().accepted > 0 && tally().refused > 0 ? 0 : 1;
}
