// What every fuzz target needs: the input as a file, and a way to stop when a promise is broken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "headwise/error.hpp"

// The entry point that libFuzzer and replay.cpp call.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

// Ends the process with this text, so that the fuzzer keeps the input.
void require(bool kept, const std::string& promise);

// The bytes as a file in memory, under a path that holds until the next call.
std::string input_file(std::string_view bytes);

// A refusal has a code that fits a file, and a text of printable UTF-8 that the file cannot make long.
void require_refusal(const headwise::Error& error);

// Calls and returns whether nothing was refused.
template <class Call>
bool accepted(const Call& call) try {
  call();
  return true;
} catch (const headwise::Error& error) {
  require_refusal(error);
  return false;
}
