// The roofline (Williams, Waterman and Patterson 2009): what the machine lets a step reach at most, measured in this
// process. All rates are those of one thread while the others of the call are as busy.
#pragma once

#include <headwise/headwise.hpp>
#include <optional>
#include <string>
#include <vector>

#include "console.hpp"

namespace headwise::tools {

struct MemoryRoof {
  std::string name;           // "L1", "L2", "L3", "memory"
  std::int64_t capacity = 0;  // bytes of one cache; 0: memory
  double bytes_per_second = 0;
};

struct Roofs {
  double peak = 0;  // FLOP/s of the CPU's fastest ISA; 0: nothing was measured
  std::vector<MemoryRoof> memory{};

  bool measured() const { return peak > 0; }
};

// Takes about half a second. The threads are those of the plan.
Roofs measure_roofs(const Explanation& plan, const Console& console);

struct Work {
  double flops = 0, bytes = 0;
  double seconds = 0;  // of all threads
};

// Which roof is above a piece of work, and how near it is.
struct Standing {
  std::string bound;  // "compute", or the level of memory that its data fits into: "L2"
  double share = 0;   // of the roof, 0 to 1 and a little
};

// The level that holds what one thread has to do with in a step: a slab when the plan is deep and no cache is read,
// else its part of the step's bytes.
const MemoryRoof& level_of(const Roofs& roofs, const Explanation& plan, const StepInfo& step);
// Nothing for work without flops and bytes, or when nothing was measured.
std::optional<Standing> standing(const Roofs& roofs, const MemoryRoof& level, const Work& work);

}  // namespace headwise::tools
