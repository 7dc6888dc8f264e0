// tokenizer.json, as Hugging Face's tokenizers writes it.
#pragma once

#include <string>

#include "token_settings.hpp"

namespace headwise {

// Throws Error(bad_file), or Error(unsupported) for any other kind of tokenizer, naming what it is.
TokenSettings read_tokenizer_json(const std::string& path);
TokenSettings parse_tokenizer_json(const std::string& path, const std::string& text);

}  // namespace headwise
