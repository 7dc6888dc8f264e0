#include "plan_words.hpp"

#include <nlohmann/json.hpp>

#include "text.hpp"

namespace headwise::tools {
namespace {

constexpr std::size_t page_width = 80;

Json steps_json(const Explanation& plan) {
  Json steps = Json::array();
  for (const StepInfo& step : plan.steps) {
    steps.push_back({{"name", step.name},
                     {"reads", step.reads},
                     {"writes", step.writes},
                     {"flops", step.flops},
                     {"bytes", step.bytes}});
  }
  return steps;
}

}  // namespace

std::string step_names(const Explanation& plan) {
  std::string names;
  for (const StepInfo& step : plan.steps) names += (names.empty() ? "" : " → ") + step.name;
  return names;
}

double total_flops(const Explanation& plan) {
  double total = 0;
  for (const StepInfo& step : plan.steps) total += step.flops;
  return total;
}

std::string plan_text(const Explanation& plan) {
  Table table;
  table.row({"step", "reads", "writes", "work", "moves"});
  for (const StepInfo& step : plan.steps) {
    table.row(
        {step.name, step.reads, step.writes, flop_text(step.flops), byte_text(static_cast<std::uint64_t>(step.bytes))});
  }
  std::string why;
  for (const std::string& reason : plan.reasons) why += wrapped("  - " + reason + "\n", page_width, 4);
  if (why.empty()) return table.to_string() + "\nNothing stands in the way of the fastest path of this machine.\n";
  return table.to_string() + "\nWhy it is not faster:\n" + why;
}

Json plan_json(const Explanation& plan) {
  return {{"isa", plan.isa},
          {"kernel", plan.kernel},
          {"schedule", plan.schedule},
          {"threads", plan.threads},
          {"scratch_bytes", plan.scratch_bytes},
          {"steps", steps_json(plan)},
          {"flops", json_number(total_flops(plan))},
          {"live_pairs", json_number(plan.live_pairs)},
          {"reasons", plan.reasons}};
}

}  // namespace headwise::tools
