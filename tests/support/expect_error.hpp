// Checks that a call throws headwise::Error with a code and with certain words in its message.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "headwise/error.hpp"

template <class Call>
void expect_error(headwise::ErrorCode code, const std::vector<std::string>& words, const Call& call) {
  try {
    call();
  } catch (const headwise::Error& error) {
    const std::string message = error.what();
    CAPTURE(message);
    CHECK(std::string(headwise::error_code_name(error.code())) == headwise::error_code_name(code));
    for (const std::string& word : words) {
      CAPTURE(word);
      CHECK(message.find(word) != std::string::npos);
    }
    return;
  }
  FAIL_CHECK("no error, expected " << headwise::error_code_name(code));
}
