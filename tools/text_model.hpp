// The tokenizer and the encoder of one model folder.
#pragma once

#include <cstdint>
#include <headwise/headwise.hpp>
#include <string>

#include "console.hpp"

namespace headwise::tools {

struct TextModel {
  Tokenizer tokenizer;
  Encoder encoder;
};

// Throws Error, and CommandError for what is no folder and where tokenizer and encoder do not fit each other.
TextModel load_text_model(const std::string& folder, EncoderOptions options, const Console& console);

// The encoder would take them for a mistake of its caller. Throws CommandError.
void check_token_types(const std::string& folder, const EncoderConfig& config, const Encoding& encoding);

struct FolderLimit {
  std::int64_t tokens = 0;
  std::string file;      // the name in the folder of the file that sets it; "" where none does
  std::string advice{};  // ends the message
};

// Throws CommandError where the limit that a folder sets leaves no token beside so many special ones.
void check_room(const std::string& folder, const FolderLimit& limit, std::int64_t special);

}  // namespace headwise::tools
