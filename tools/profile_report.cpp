#include "profile_report.hpp"

#include <algorithm>

#include "explain_report.hpp"
#include "plan_words.hpp"

namespace headwise::tools {
namespace {

constexpr std::size_t most_columns = 6;  // of threads; beyond, a summary fits the page
constexpr std::size_t page_width = 80;

double per_second(double amount, double seconds) {
  return seconds > 0 ? amount / seconds : 0;
}

std::string rate(double amount, double seconds, int decimals) {
  return amount > 0 && seconds > 0 ? fixed(per_second(amount, seconds) * 1e-9, decimals) : "-";
}

// One unit for the whole table, so that figures can be compared by eye.
struct TimeUnit {
  const char* name;
  double per_second;
  std::string text(double seconds) const { return fixed(seconds * per_second, 2); }
};
TimeUnit unit_for(double seconds) {
  return seconds >= 1e-3 ? TimeUnit{"ms", 1e3} : TimeUnit{"µs", 1e6};
}

void add_row(Table& table, const ProfileRow& row, const TimeUnit& unit, double threads) {
  const std::string name = std::string(static_cast<std::size_t>(2 * row.depth), ' ') + row.name;
  const auto& standing = row.standing;
  table.row({name, unit.text(row.work.seconds / threads), fixed(row.share * 100, 1),
             rate(row.work.flops, row.work.seconds, 1), rate(row.work.bytes, row.work.seconds, 1),
             standing ? fixed(standing->share * 100, 0) : "-", standing ? standing->bound : ""});
}

std::vector<std::string> thread_headings(std::size_t threads) {
  std::vector<std::string> cells;
  for (std::size_t t = 0; t < threads && threads <= most_columns; ++t) cells.push_back("thread " + std::to_string(t));
  return threads <= most_columns ? cells : std::vector<std::string>{"least", "median", "most"};
}

void add_thread_row(Table& table, const std::string& name, std::vector<double> seconds, const TimeUnit& unit) {
  std::vector<std::string> cells{name};
  if (seconds.size() > most_columns) {
    std::sort(seconds.begin(), seconds.end());
    seconds = {seconds.front(), seconds[seconds.size() / 2], seconds.back()};
  }
  for (const double value : seconds) cells.push_back(unit.text(value));
  table.row(cells);
}

std::string roofs_text(const Roofs& roofs) {
  if (!roofs.measured()) return "not measured";
  std::string text = fixed(roofs.peak * 1e-9, 0) + " GF/s; read";
  for (const MemoryRoof& level : roofs.memory) {
    text += " " + level.name + " " + fixed(level.bytes_per_second * 1e-9, 0);
  }
  return text + " GB/s";
}

std::string calls_text(int calls) {
  return calls < 4 ? " (mean of " + plural(calls, "call") + ")"
                   : " (mean of the middle half of " + std::to_string(calls) + " calls)";
}

// Of all threads together, against all of them busy with nothing else.
std::string speed_text(const ProfileResult& result) {
  const double threads = double(result.profile.threads.size());
  const double speed = per_second(total_flops(result.profile.plan), result.profile.seconds);
  const std::string text = significant(speed * 1e-9, 3) + " GF/s";
  if (!result.roofs.measured()) return text;
  return text + ", " + fixed(100 * speed / (result.roofs.peak * threads), 0) + " % of the peak";
}

std::string counter_text(const ProfileCounter& counter) {
  double sum = 0;
  for (const double count : counter.steps) sum += count;
  return counter.name + " " + fixed(sum, 0);
}

// The same reason is said once for all that it keeps from being counted.
std::vector<std::string> missing_counters(const std::vector<ProfileCounter>& counters) {
  std::vector<std::string> notes;
  std::string names, reason;
  for (const ProfileCounter& counter : counters) {
    if (counter.missing.empty()) continue;
    names += (names.empty() ? "" : ", ") + counter.name;
    reason = counter.missing;
  }
  if (names.empty()) return notes;
  return {"Not counted here: " + names + " (the system says: " + reason +
          "). Virtual machines often have no hardware counters; elsewhere see /proc/sys/kernel/perf_event_paranoid."};
}

}  // namespace

std::vector<ProfileRow> profile_rows(const ProfileResult& result) {
  const Profile& profile = result.profile;
  const double whole = profile.seconds * double(profile.threads.size());
  const bool measured = result.roofs.measured();
  std::vector<ProfileRow> rows;
  for (std::size_t i = 0; i < profile.steps.size(); ++i) {
    const StepInfo& info = profile.plan.steps[i];
    const MemoryRoof level = measured ? level_of(result.roofs, profile.plan, info) : MemoryRoof{};
    const auto add = [&](const std::string& name, int depth, const Work& work) {
      rows.push_back({name, depth, work, work.seconds / whole, standing(result.roofs, level, work)});
    };
    add(info.name, 0, {info.flops, info.bytes, profile.steps[i].seconds()});
    for (const StepPart& part : profile.steps[i].parts) add(part.name, 1, {part.flops, part.bytes, part.seconds});
  }
  double call = 0, waiting = 0;
  for (const ThreadTime& thread : profile.threads) call += thread.call, waiting += thread.waiting;
  rows.push_back({"around the steps", 0, {0, 0, call}, call / whole, {}});
  rows.push_back({"waiting", 0, {0, 0, waiting}, waiting / whole, {}});
  return rows;
}

std::vector<std::string> profile_notes(const ProfileResult& result) {
  const Profile& profile = result.profile;
  std::string counted;
  for (const ProfileCounter& counter : profile.counters) {
    if (counter.missing.empty()) counted += (counted.empty() ? "" : ", ") + counter_text(counter);
  }
  std::vector<std::string> notes{
      "GF/s, GB/s and roof are those of one thread while it works. What is bound by compute is held against the peak, "
      "what is bound by memory against the level that its data fits in."};
  for (const std::string& note : missing_counters(profile.counters)) notes.push_back(note);
  if (!counted.empty()) notes.push_back("Counted in the steps of one more call: " + counted + ".");
  if (profile.dropped_spans > 0) {
    notes.push_back(plural(profile.dropped_spans, "span") + " found no room; only a trace misses them.");
  }
  return notes;
}

Table call_table(const ProfileReport& report) {
  const ProfileResult& result = report.result;
  const TimeUnit unit = unit_for(result.profile.seconds);
  Table table("");
  add_call_rows(table, report.call, result.profile.plan, report.options);
  table.row({"time", unit.text(result.profile.seconds) + " " + unit.name + calls_text(result.calls) + ", " +
                         speed_text(result)});
  table.row({"a thread", roofs_text(result.roofs)});
  return table;
}

Table steps_table(const ProfileResult& result) {
  const double threads = double(result.profile.threads.size());
  const TimeUnit unit = unit_for(result.profile.seconds);
  Table table;
  table.row({"step", unit.name, "%", "GF/s", "GB/s", "% of roof", "bound by"});
  for (const ProfileRow& row : profile_rows(result)) add_row(table, row, unit, threads);
  table.row({"together", unit.text(result.profile.seconds), "100.0", "-", "-", "-", ""});
  return table;
}

Table threads_table(const ProfileResult& result) {
  const Profile& profile = result.profile;
  const std::size_t threads = profile.threads.size();
  const TimeUnit unit = unit_for(profile.seconds);
  Table table;
  std::vector<std::string> heading{std::string("thread by thread, ") + unit.name};
  for (const std::string& cell : thread_headings(threads)) heading.push_back(cell);
  table.row(heading);
  const auto add = [&](const std::string& name, const auto& get) {
    std::vector<double> seconds;
    for (std::size_t t = 0; t < threads; ++t) seconds.push_back(get(t));
    add_thread_row(table, name, seconds, unit);
  };
  for (std::size_t i = 0; i < profile.steps.size(); ++i) {
    add(profile.plan.steps[i].name, [&](std::size_t t) { return profile.steps[i].threads[t].seconds; });
  }
  add("around the steps", [&](std::size_t t) { return profile.threads[t].call; });
  add("waiting", [&](std::size_t t) { return profile.threads[t].waiting; });
  return table;
}

std::string profile_text(const ProfileReport& report) {
  const ProfileResult& result = report.result;
  std::string text = call_table(report).to_string() + "\n" + steps_table(result).to_string() + "\n";
  if (result.profile.threads.size() > 1) text += threads_table(result).to_string() + "\n";
  for (const std::string& note : profile_notes(result)) text += wrapped(note + "\n", page_width, 0);
  return text;
}

}  // namespace headwise::tools
