#include "timing.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

namespace headwise::tools {
namespace {

constexpr double time_budget = 0.5;
constexpr int most_calls = 10'000;

double seconds_of(const std::function<void()>& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

}  // namespace

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
  return {median(times), static_cast<int>(times.size())};
}

}  // namespace headwise::tools
