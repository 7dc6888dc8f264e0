// Special tokens, as tokenizer.json and tokenizer_config.json both write them.
#pragma once

#include "added_tokens.hpp"
#include "json_values.hpp"
#include "template.hpp"

namespace headwise {

// Whether tokens that do not say "special" are.
enum class Specials { some, all };

// All but its id, which is −1. Throws Error(bad_file) when there is no content.
AddedToken read_added_token(const JsonObject& token, Specials specials = Specials::some);
// Throws Error(unsupported), which names `file`.
void check_length(const AddedToken& token, const JsonObject& file);

// [CLS] A [SEP] B [SEP], where B and its separator are of type 1.
Templates bert_templates(std::int64_t cls, std::int64_t sep);
// <s> A </s></s> B </s>, all of type 0.
Templates roberta_templates(std::int64_t cls, std::int64_t sep);

}  // namespace headwise
