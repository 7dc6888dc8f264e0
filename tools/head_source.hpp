// Where view and ask-heads take attention weights from: a model folder and a text, or an array and its tokens.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "console.hpp"
#include "head_weights.hpp"

namespace CLI {
class App;
}

namespace headwise::tools {

struct HeadSource {
  CommonOptions common;
  std::string folder;  // of the model; "" when an array is given
  std::optional<std::string> text, pair;
  std::vector<std::int64_t> layers;  // none: all
  int threads = 0;
  std::string isa;

  std::string attention, tokens;  // files
  std::int64_t sequence = 0;
  bool by_layer = false;
};

// The caller keeps `source` alive until the command line is parsed.
void add_head_source(CLI::App& app, HeadSource& source);
// Throws UsageError for options that are missing or belong to the other kind of source.
void check_head_source(const CLI::App& app, const HeadSource& source);
HeadWeights load_head_weights(const HeadSource& source, const Console& console);

// For reports: "6 layers × 12 heads", and the tokens on one line.
std::string head_counts(const HeadWeights& weights);
std::string token_line(const HeadWeights& weights);

}  // namespace headwise::tools
