#include <omp.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "affinity.hpp"
#include "cpu_quota.hpp"
#include "headwise/attention.hpp"
#include "headwise/error.hpp"
#include "limits_of.hpp"

namespace headwise {
namespace {

using threads::CpuQuota;

// Two digits at most, with a point in every locale.
std::string cpus_text(double cpus) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, std::round(cpus * 100) / 100).ptr;
  return std::string(text, end) + (cpus == 1 ? " CPU" : " CPUs");
}

int rounded_up(double cpus) {
  return cpus < Session::max_threads ? static_cast<int>(std::ceil(cpus)) : Session::max_threads;
}

void limit(ThreadLimits& limits, int threads, const std::string& reason) {
  if (threads >= limits.threads) return;
  limits.threads = std::max(threads, 1);
  limits.reason = reason;
}

}  // namespace

namespace threads {

ThreadLimits limits_of(const Facts& facts) {
  ThreadLimits limits;
  limits.affinity_cpus = facts.affinity_cpus;
  limits.online_cpus = facts.online_cpus;
  limits.quota_cpus = facts.quota.cpus;
  limits.quota_file = facts.quota.file;
  limits.openmp_threads = facts.openmp_threads;
  limits.threads = facts.affinity_cpus;
  limits.reason = "the process may run on " + std::to_string(facts.affinity_cpus) + " of " +
                  std::to_string(std::max(facts.online_cpus, facts.affinity_cpus)) + " CPUs";
  if (facts.quota.cpus > 0) {
    limit(limits, rounded_up(facts.quota.cpus),
          "the CPU quota of " + cpus_text(facts.quota.cpus) + " in " + facts.quota.file);
  }
  limit(limits, facts.openmp_threads, "OpenMP is set to " + std::to_string(facts.openmp_threads));
  limit(limits, Session::max_threads, "a session has at most " + std::to_string(Session::max_threads));
  return limits;
}

}  // namespace threads

ThreadLimits thread_limits() try {
  return threads::limits_of({threads::affinity_cpus(), threads::online_cpus(), threads::cpu_quota(),
                             std::min(omp_get_max_threads(), omp_get_thread_limit())});
} catch (const std::bad_alloc&) {
  throw Error(ErrorCode::out_of_memory, "no memory to read the limits of the system");
}

int default_threads() noexcept try { return thread_limits().threads; } catch (...) {
  return 1;
}

}  // namespace headwise
