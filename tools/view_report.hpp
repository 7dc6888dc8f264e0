// What view wrote, as text and as JSON.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "head_weights.hpp"

namespace headwise::tools {

struct WrittenFile {
  std::string kind, path;  // "page", "weights", "bertviz"
  std::size_t bytes = 0;   // 0: not counted
};

std::string view_text(const HeadWeights& weights, const std::vector<WrittenFile>& files);
std::string view_json(const HeadWeights& weights, const std::vector<WrittenFile>& files);

}  // namespace headwise::tools
