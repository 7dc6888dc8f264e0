// What `headwise run` did, and how it is told.
#pragma once

#include <headwise/headwise.hpp>
#include <string>

#include "layer_results.hpp"
#include "timing.hpp"

namespace headwise::tools {

struct RunOptions : ResultOptions {
  int repeat = 0;
  bool explain = false;
  bool values = false;
  std::string view, tokens;  // a page to write, and what its tokens are called
};

struct RunResult {
  LoadedLayer loaded;
  LayerInputs inputs;
  LayerResults results;
  Explanation plan;  // of the last token when the query goes through a cache
  Timing timing;
  std::int64_t decoded_tokens = 0;  // of all sequences; 0: one call
  std::size_t cache_bytes = 0;
  std::size_t page_bytes = 0;             // of --view
  std::vector<std::string> page_notes{};  // what its reader must know

  double tokens_per_second() const;
};

std::string run_text(const RunResult& result, const RunOptions& options);
std::string run_json(const RunResult& result, const RunOptions& options);

}  // namespace headwise::tools
