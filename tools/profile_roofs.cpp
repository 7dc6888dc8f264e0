#include "profile_roofs.hpp"

namespace headwise::tools {
namespace {

std::string fastest_isa() {
  for (const IsaInfo& isa : list_isas()) {
    if (isa.compiled && isa.present) return isa.name;
  }
  return "";
}

// A deep plan keeps what lies between its steps near the core; a key/value cache lies where it lies.
bool works_in_slab(const Explanation& plan, const StepInfo& step) {
  const bool cached = step.reads.find("cache") != std::string::npos || step.writes.find("cache") != std::string::npos;
  return plan.schedule == "deep" && !cached;
}

}  // namespace

Roofs measure_roofs(const Explanation& plan, const Console& console) try {
  ProgressBar bar(console, "measuring the machine");
  const LimitOptions options{fastest_isa(), plan.threads, 0.1};
  const std::vector<MemoryLevel> levels = memory_levels(plan.threads);
  Roofs roofs;
  roofs.peak = measure_fma_peak(options) / plan.threads;
  for (const MemoryLevel& level : levels) {
    bar.update(roofs.memory.size() + 1, levels.size() + 1);
    const double rate = measure_read_bandwidth(level.bytes_per_thread, options) / plan.threads;
    roofs.memory.push_back({level.name, level.capacity, rate});
  }
  return roofs;
} catch (const Error& error) {
  console.note(std::string("the machine's limits are not known: ") + error.what());
  return {};
}

const MemoryRoof& level_of(const Roofs& roofs, const Explanation& plan, const StepInfo& step) {
  const double own = (works_in_slab(plan, step) ? double(plan.scratch_bytes) : step.bytes) / plan.threads;
  for (const MemoryRoof& level : roofs.memory) {
    const bool shared = level.name != "L1" && level.name != "L2";  // by the threads, as far as they are neighbours
    if (own * (shared ? plan.threads : 1) <= double(level.capacity)) return level;
  }
  return roofs.memory.back();
}

std::optional<Standing> standing(const Roofs& roofs, const MemoryRoof& level, const Work& work) {
  if (!roofs.measured() || work.seconds <= 0 || (work.flops <= 0 && work.bytes <= 0)) return std::nullopt;
  const double computing = work.flops / roofs.peak;
  const double moving = work.bytes / level.bytes_per_second;
  const bool memory = moving > computing;
  return Standing{memory ? level.name : "compute", (memory ? moving : computing) / work.seconds};
}

}  // namespace headwise::tools
