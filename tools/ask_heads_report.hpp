// What ask-heads found, as text and as JSON.
#pragma once

#include <string>

#include "ask_heads.hpp"

namespace headwise::tools {

// `top`: how many heads; 0: all.
std::string ask_heads_text(const HeadWeights& weights, const HeadAnswers& answers, std::size_t top);
std::string ask_heads_json(const HeadWeights& weights, const HeadAnswers& answers, std::size_t top);

}  // namespace headwise::tools
