// A weight file in a few numbers.
#pragma once

#include <cstdint>
#include <string>

#include "inspect_report.hpp"

namespace headwise::tools {

struct Totals {
  std::uint64_t bytes = 0;
  std::int64_t nan_count = 0, infinite_count = 0, tensors_hit = 0;
  std::int64_t outside = 0;  // tensors that belong to no attention layer
};

Totals totals_of(const Inspection& inspection);
std::string health_text(const Inspection& inspection, const Totals& totals);  // "no NaN, no infinity"

}  // namespace headwise::tools
