// Random calls of the whole public API against float64, on every ISA.
//   test_differential [--seed=1] [--cases=2000] [--case=N] [--isa=NAME] [--failures=20] [--list]
// --case repeats one case and says what it is; --list prints how often each option came up; the run ends after so many
// failures.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "describe.hpp"
#include "run.hpp"

namespace {

using namespace differential;

struct Arguments {
  std::uint64_t seed = 1;
  std::int64_t cases = 2000, only = -1, failures = 20;
  std::string isa;
  bool list = false;
};

const char* value_of(const char* argument, const char* name) {
  const std::size_t length = std::strlen(name);
  return std::strncmp(argument, name, length) == 0 ? argument + length : nullptr;
}

Arguments read(int count, char** words) {
  Arguments arguments;
  for (int i = 1; i < count; ++i) {
    if (const char* text = value_of(words[i], "--seed=")) arguments.seed = std::strtoull(text, nullptr, 10);
    if (const char* text = value_of(words[i], "--cases=")) arguments.cases = std::atoll(text);
    if (const char* text = value_of(words[i], "--failures=")) arguments.failures = std::atoll(text);
    if (const char* text = value_of(words[i], "--case=")) arguments.only = std::atoll(text);
    if (const char* text = value_of(words[i], "--isa=")) arguments.isa = text;
    if (std::strcmp(words[i], "--list") == 0) arguments.list = true;
  }
  return arguments;
}

std::vector<std::string> isas_of(const Arguments& arguments) {
  std::vector<std::string> names;
  for (const headwise::IsaInfo& isa : headwise::list_isas()) {
    const bool wanted = arguments.isa.empty() || arguments.isa == isa.name;
    if (wanted && isa.compiled && isa.present) names.push_back(isa.name);
  }
  return names;
}

struct Tally {
  std::int64_t runs = 0, failures = 0, refusals = 0;
  Shares shares;
  std::map<std::string, int> options;
};

void report(const Case& one, const std::string& isa, const std::string& problem) {
  std::printf("FAILED: test_differential --seed=%llu --case=%lld --isa=%s\n  %s\n%s", (unsigned long long)one.seed,
              (long long)one.number, isa.c_str(), problem.c_str(), describe(one).c_str());
  std::fflush(stdout);
}

void run_number(const Arguments& arguments, std::int64_t number, const std::vector<std::string>& isas, Tally& tally) {
  const Case one = make_case(arguments.seed, number);
  const std::vector<Expected> expected = evaluate(one);
  for (const std::string& option : options_of(one)) ++tally.options[option];
  if (arguments.only >= 0) std::printf("%s", describe(one).c_str());
  for (const std::string& isa : isas) {
    const std::string problem = run_case(one, expected, isa, tally.shares, tally.refusals);
    ++tally.runs;
    if (problem.empty()) continue;
    ++tally.failures;
    report(one, isa, problem);
  }
}

void summarise(const Arguments& arguments, const Tally& tally) {
  for (const auto& [option, count] : tally.options) {
    if (arguments.list) std::printf("%6d  %s\n", count, option.c_str());
  }
  for (const auto& [name, share] : tally.shares) {
    std::printf("%s: at most %.2f of its error bound\n", name.c_str(), share);
  }
  std::printf("%lld runs with seed %llu, %lld refused as they must be, %lld failures\n", (long long)tally.runs,
              (unsigned long long)arguments.seed, (long long)tally.refusals, (long long)tally.failures);
}

}  // namespace

int main(int count, char** words) {
  const Arguments arguments = read(count, words);
  const std::vector<std::string> isas = isas_of(arguments);
  const std::int64_t first = std::max<std::int64_t>(arguments.only, 0);
  const std::int64_t end = arguments.only >= 0 ? first + 1 : arguments.cases;
  Tally tally;
  for (std::int64_t number = first; number < end && tally.failures < arguments.failures; ++number) {
    run_number(arguments, number, isas, tally);
  }
  summarise(arguments, tally);
  return tally.failures > 0 || tally.runs == 0 ? 1 : 0;
}
