// Which files of a model folder make its tokenizer.
#pragma once

#include <string>

#include "token_settings.hpp"

namespace headwise {

// path: a folder, a tokenizer.json or a vocab.txt. Throws Error(io) when there is neither, naming what else was found.
TokenSettings read_tokenizer_files(const std::string& path);

}  // namespace headwise
