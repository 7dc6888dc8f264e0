// A model folder to be filled with files of sentence-transformers, and what is said of it.
#pragma once

#include <doctest/doctest.h>

#include <filesystem>
#include <headwise/sentence.hpp>

#include "temporary_folder.hpp"

inline const std::string sentence_modules =
    R"([{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
        {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
        {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}])";

struct SentenceFolder : TemporaryFolder {
  SentenceFolder() { std::filesystem::create_directory(path() / "1_Pooling"); }
  headwise::SentenceSettings read() const { return headwise::read_sentence_settings(path().string()); }
  std::string refusal() const {
    try {
      (void)read();
    } catch (const headwise::Error& error) {
      return std::string(headwise::error_code_name(error.code())) + " " + error.what();
    }
    return "read";
  }
  void check_refused(const std::string& code, const std::string& words) const {
    const std::string message = refusal();
    CAPTURE(message);
    CHECK(message.starts_with(code + " "));
    CHECK(message.find(words) != std::string::npos);
  }
};
