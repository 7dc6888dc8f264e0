// Records as people and programs read them.
#pragma once

#include <optional>
#include <string>

#include "bench_compare.hpp"
#include "bench_record.hpp"

namespace headwise::tools {

struct BenchResults {
  BenchRecords records;
  std::optional<BenchComparison> comparison;
};

std::string bench_text(const BenchResults& results, BenchFormat format);

}  // namespace headwise::tools
