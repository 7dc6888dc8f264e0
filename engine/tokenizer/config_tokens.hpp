// Tokens that the files beside a vocabulary name. An id of −1 stands for none.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "added_tokens.hpp"
#include "config_files.hpp"

namespace headwise {

// Of a token whose file gives it none.
inline constexpr std::int64_t no_id = -1;

using AddedList = std::vector<AddedToken>;

// The content of a special token, "cls_token"; nullopt when the files do not name it.
std::optional<std::string> special_content(const ConfigFiles& files, const std::string& key);

// Special tokens, in the reference's order.
AddedList named_specials(const ConfigFiles& files);
// Those that the class has without being told.
AddedList tokens_of_class(const ConfigFiles& files);
// Tokens of added_tokens_decoder or added_tokens.json by their ids; present: those of tokenizer.json.
AddedList listed_tokens(const ConfigFiles& files, const AddedList& specials, const AddedList& present);

}  // namespace headwise
