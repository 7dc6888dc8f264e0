// What this machine can do at most: multiply-adds per second of each ISA and bytes per second from each level of the
// memory, by one thread and by all. See --help.
#include <headwise/headwise.hpp>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

using namespace headwise;

namespace {

struct Options {
  std::vector<std::string> isas;
  std::vector<int> threads;
  double seconds = 0.2;
  bool json = false;
};

struct Limit {
  std::string isa, level;  // level: of memory; empty for the FMA peak
  int threads;
  std::int64_t bytes_per_thread;
  double rate;  // FLOP/s or bytes/s
};

Options parse(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Measures the FMA peak and the read bandwidth of this machine, about 3 seconds an ISA and thread count.");
  app.add_option("isa", options.isas, "instruction sets (default: all that this CPU has)");
  app.add_option("-t,--threads", options.threads, "thread counts (default: 1 and all)")->check(CLI::Range(1, 4096));
  app.add_option("-s,--seconds", options.seconds, "time of each figure, about")->capture_default_str();
  app.add_flag("--json", options.json, "print JSON instead of a table");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error));
  }
  return options;
}

// What was not asked for is filled in.
void complete(Options& options) {
  const std::set<int> counts{1, default_threads()};
  if (options.threads.empty()) options.threads.assign(counts.begin(), counts.end());
  if (!options.isas.empty()) return;
  for (const IsaInfo& isa : list_isas()) {
    if (isa.present && isa.name != "reference") options.isas.push_back(isa.name);
  }
}

std::vector<Limit> limits_of(const LimitOptions& options) {
  std::vector<Limit> limits{{options.isa, "", options.threads, 0, measure_fma_peak(options)}};
  for (const MemoryLevel& level : memory_levels(options.threads)) {
    const double rate = measure_read_bandwidth(level.bytes_per_thread, options);
    limits.push_back({options.isa, level.name, options.threads, level.bytes_per_thread, rate});
  }
  return limits;
}

void print_table(const std::vector<Limit>& limits) {
  std::printf("%-8s %7s  %-22s %12s\n", "ISA", "threads", "limit", "all threads");
  for (const Limit& limit : limits) {
    const std::string what = limit.level.empty() ? "FMA" : "read " + limit.level;
    const std::string size = limit.level.empty() ? "" : " " + std::to_string(limit.bytes_per_thread / 1024) + " KiB";
    std::printf("%-8s %7d  %-11s %-10s %7.1f %s\n", limit.isa.c_str(), limit.threads, what.c_str(), size.c_str(),
                limit.rate / 1e9, limit.level.empty() ? "GF/s" : "GB/s");
  }
  std::printf("KiB: buffer of each thread. GB: 10^9 bytes. Medians of 15 rounds.\n");
}

void print_json(const std::vector<Limit>& limits) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Limit& limit : limits) {
    nlohmann::ordered_json row{{"limit", limit.level.empty() ? "fma" : "read"},
                               {"isa", limit.isa},
                               {"threads", limit.threads},
                               {"rate", limit.rate},
                               {"unit", limit.level.empty() ? "FLOP/s" : "bytes/s"}};
    if (!limit.level.empty()) row.update({{"level", limit.level}, {"bytes_per_thread", limit.bytes_per_thread}});
    rows.push_back(row);
  }
  std::printf("%s\n", nlohmann::ordered_json{{"headwise", version()}, {"limits", rows}}.dump(2).c_str());
}

void run(int argc, char** argv) {
  Options options = parse(argc, argv);
  complete(options);
  std::vector<Limit> limits;
  for (const std::string& isa : options.isas) {
    for (const int threads : options.threads) {
      const std::vector<Limit> more = limits_of({isa, threads, options.seconds});
      limits.insert(limits.end(), more.begin(), more.end());
    }
  }
  options.json ? print_json(limits) : print_table(limits);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc, argv);
  } catch (const Error& error) {
    std::fprintf(stderr, "limits: %s\n", error.what());
    return 1;
  }
}
