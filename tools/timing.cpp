#include "timing.hpp"

#include <chrono>
#include <utility>
#include <vector>

#include "statistics.hpp"

namespace headwise::tools {
namespace {

constexpr double time_budget = 0.5;
constexpr int most_calls = 10'000;

}  // namespace

double seconds_of(const std::function<void()>& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Timing measure(const std::function<void()>& call, int repeats) {
  const double first = seconds_of(call);
  if (repeats == 0 && first > time_budget) return {first, 1};
  std::vector<double> times;
  double spent = 0;
  const auto wants_more = [&] {
    const int calls = static_cast<int>(times.size());
    return repeats > 0 ? calls < repeats : calls == 0 || (spent < time_budget && calls < most_calls);
  };
  while (wants_more()) {
    times.push_back(seconds_of(call));
    spent += times.back();
  }
  const auto calls = static_cast<int>(times.size());
  return {median(std::move(times)), calls};
}

}  // namespace headwise::tools
