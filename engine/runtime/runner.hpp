// The threads of a session, their memory, and how they go through the steps of a graph.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "team.hpp"
#include "worker.hpp"

namespace headwise::runtime {

// Steps in order. The plan says how they are run: on how many threads, wide or deep, in which slabs and how much
// scratch.
class Graph {
 public:
  Graph(const Plan& plan_, int num_steps_) noexcept : plan(plan_), num_steps(num_steps_) {}
  virtual void run(int step, const Slab& slab, Worker& worker) const noexcept = 0;

  const Plan& plan;
  const int num_steps;

 protected:
  ~Graph() = default;
};

class Runner {
 public:
  // What the workers multiply with, see Worker; the steps of the longest graph.
  Runner(std::span<const projection::Linear* const> products, int max_steps, const SessionOptions& options);

  Schedule schedule() const noexcept { return schedule_; }
  const Allocator& allocator() const noexcept { return allocator_; }
  int threads() const noexcept { return static_cast<int>(workers.size()); }
  // Those that a call may plan for: one inside somebody's parallel region.
  int team_threads() const noexcept;
  // Before a call is planned.
  void find_threads();

  // Runs a graph; failed() tells how it went, and report_failure() throws if it went wrong. Throws Error(cancelled)
  // itself when the flag is set already, before anything is written.
  void execute(const Graph& graph, const std::atomic<bool>* cancel);
  bool failed() const noexcept;
  void report_failure() const;

  std::vector<Worker> workers;     // one a thread
  std::atomic<bool> taken{false};  // by a call, see Turn

 private:
  void reserve(const Plan& plan);
  void place(const Graph& graph);
  float* slab_memory(const Plan& plan, int worker) noexcept;
  void run_wide(const Graph& graph, Worker& worker, const threads::Member& member) noexcept;
  void run_deep(const Graph& graph, Worker& worker, float* memory) noexcept;
  void run_member(const Graph& graph, const threads::Member& member) noexcept;
  void run_team(const Graph& graph) noexcept;
  void tell_few_threads(const Plan& plan) noexcept;
  bool any_worker(bool Worker::*what) const noexcept;

  Schedule schedule_;
  std::shared_ptr<Executor> executor_;
  Allocator allocator_;  // of the scratch memory
  Tensor scratch_;
  std::vector<std::atomic<std::int64_t>> counters_;  // of the units that were taken, one a step
  Stop stop_;
  int arrived_ = 0;  // threads of the last team
  bool told_few_threads_ = false;
};

}  // namespace headwise::runtime
