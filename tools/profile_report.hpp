// What `headwise profile` tells, as text and as JSON.
#pragma once

#include "profile_job.hpp"
#include "text.hpp"

namespace headwise::tools {

struct ProfileReport {
  const SizedCall& call;
  const ProfileResult& result;
  const ProfileCommandOptions& options;
};

// A step, a part of one, or what is no step. The rows of depth 0 add up to the whole.
struct ProfileRow {
  std::string name;
  int depth = 0;
  Work work;
  double share = 0;  // of the time of all threads, 0 to 1
  std::optional<Standing> standing;
};

std::vector<ProfileRow> profile_rows(const ProfileResult& result);
// Layer, inputs, schedule, time, limits; the rows; the time of each thread, or its spread over many.
Table call_table(const ProfileReport& report);
Table steps_table(const ProfileResult& result);
Table threads_table(const ProfileResult& result);
// What the tables cannot say: how to read them, what counters told or why they told nothing, dropped spans.
std::vector<std::string> profile_notes(const ProfileResult& result);

std::string profile_text(const ProfileReport& report);
std::string profile_json(const ProfileReport& report);

}  // namespace headwise::tools
