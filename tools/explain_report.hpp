// What `headwise explain` tells about a call that did not run.
#pragma once

#include <headwise/headwise.hpp>
#include <string>

#include "layer_results.hpp"

namespace headwise::tools {

struct ExplainOptions : ResultOptions {
  AttentionConfig sizes;                               // of a layer of random weights, without a FILE
  std::int64_t batch = 1, length = 0, key_length = 0;  // of a call without --query; 0: the default
};

struct ExplainResult {
  LoadedLayer loaded;
  LayerInputs inputs;
  std::int64_t cached_tokens = 0;
  Explanation plan;
};

std::string explain_text(const ExplainResult& result, const ExplainOptions& options);
std::string explain_json(const ExplainResult& result, const ExplainOptions& options);

}  // namespace headwise::tools
