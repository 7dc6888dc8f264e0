// Tokens that the files beside a vocabulary add to it or change, merged as transformers merges them.
#pragma once

#include "config_files.hpp"
#include "token_settings.hpp"

namespace headwise {

// Puts the added tokens of the files behind those that are there. A token that is there already gets the flags of
// added_tokens_decoder or added_tokens.json. A token of the vocabulary has its id there; others get the ids that
// follow, in their order, whatever the files say. Throws Error(bad_file) where an id contradicts the vocabulary's.
void add_config_tokens(const ConfigFiles& files, TokenSettings& to);

}  // namespace headwise
