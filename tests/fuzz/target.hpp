// What every fuzz target needs: the input as a file, and a way to stop when a promise is broken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "headwise/error.hpp"
#include "headwise/weights.hpp"
#include "temporary_folder.hpp"

// The entry point that libFuzzer and replay.cpp call.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

// Ends the process with this text, so that the fuzzer keeps the input.
void require(bool kept, const std::string& promise);

// A folder for the files of a target, and the input among them, whose bytes stay in memory: it can hold another input
// after each call of write.
class InputFolder {
 public:
  explicit InputFolder(const std::string& input_name);
  const std::string& input() const { return input_; }  // its path
  const TemporaryFolder& folder() const { return folder_; }
  void write(std::string_view bytes) const;

 private:
  TemporaryFolder folder_;
  std::string input_;
  int descriptor_;
};

// A weight file with layers of several families in this folder, see tests/data/make_fixtures.py.
headwise::WeightFile layers_beside(const TemporaryFolder& folder);

// A refusal has a code that fits a file, and a text of printable UTF-8 that the file cannot make long.
void require_refusal(const headwise::Error& error);

// How many calls were refused and how many were not: inputs that one of them never meets test nothing.
struct Tally {
  std::size_t accepted = 0, refused = 0;
};
Tally& tally();

// Calls and returns whether nothing was refused.
template <class Call>
bool accepted(const Call& call) try {
  call();
  ++tally().accepted;
  return true;
} catch (const headwise::Error& error) {
  require_refusal(error);
  ++tally().refused;
  return false;
}
