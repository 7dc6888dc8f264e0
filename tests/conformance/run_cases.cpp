// Runs every case file of a folder and writes what headwise answers: NAME.safetensors, or the reason in NAME.error.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>

#include "operations.hpp"

namespace {

using namespace headwise::conformance;
namespace fs = std::filesystem;

void write(const fs::path& path, const std::string& bytes) {
  std::ofstream stream(path, std::ios::binary);
  stream.exceptions(std::ios::badbit | std::ios::failbit);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::string answer(const fs::path& path) {
  Case test(path.string());
  const std::string operation = test.call().at("operation");
  if (operation == "attention") {
    run_attention(test);
  } else if (operation == "rotary") {
    run_rotary(test);
  } else if (operation == "scatter") {
    run_scatter(test);
  } else {
    throw std::runtime_error("unknown operation " + operation);
  }
  return test.results();
}

void run_case(const fs::path& path, const fs::path& results) {
  const fs::path target = results / path.filename();
  std::string bytes;
  try {
    bytes = answer(path);
  } catch (const headwise::Error& error) {
    return write(fs::path(target).replace_extension("error"),
                 std::string(error_code_name(error.code())) + ": " + error.what());
  } catch (const std::exception& error) {
    return write(fs::path(target).replace_extension("error"), error.what());
  }
  write(target, bytes);
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 3) {
    std::fputs("Usage: run_cases CASE_FOLDER RESULT_FOLDER\n", stderr);
    return 2;
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(arguments[1])) run_case(entry.path(), arguments[2]);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "run_cases: %s\n", error.what());
  return 1;
}
