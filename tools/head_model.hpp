// A text through a text encoder: the attention weights of its layers, and what each head adds to their output.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "console.hpp"
#include "head_weights.hpp"

namespace headwise::tools {

struct ModelText {
  std::string folder;
  std::string text;
  std::optional<std::string> pair;
  std::vector<std::int64_t> layers;  // none: all
  int threads = 0;
  std::string isa;
};

// A text that is longer than the model takes is cut, which the notes say. Throws Error, CommandError as
// load_text_model does, and UsageError for a layer that the model has not.
HeadWeights run_head_model(const ModelText& text, const Console& console);

}  // namespace headwise::tools
