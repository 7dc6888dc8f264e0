// vocab.txt, a token a line.
#pragma once

#include <string>
#include <vector>

#include "config_files.hpp"
#include "token_settings.hpp"

namespace headwise {

// The id of a token is its line, from 0. White space at a line's end is no part of the token, and of equal tokens the
// last counts, both as the reference has it. Throws Error(bad_file) for bytes that are no UTF-8.
std::vector<VocabularyEntry> parse_vocabulary_text(const std::string& path, const std::string& text);

// The vocabulary alone. Throws Error(unsupported) for a class that cuts words in another way.
TokenSettings read_vocabulary_text(const std::string& path, const TokenizerClass& given);

}  // namespace headwise
