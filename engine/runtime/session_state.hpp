// What a session keeps between calls, and how a plan is run.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "last_call.hpp"
#include "team.hpp"
#include "worker.hpp"

namespace headwise {

struct Session::State {
  MultiHeadAttention attention;
  Schedule schedule;
  std::shared_ptr<Executor> executor;
  Allocator allocator;                       // of the scratch memory
  std::vector<runtime::Worker> workers;      // one a thread
  std::vector<runtime::Recorder> recorders;  // one a thread once a call was profiled
  Tensor scratch;
  runtime::Tables tables;
  runtime::LastCall last;
  std::array<std::atomic<std::int64_t>, runtime::Plan::max_steps> counters;
  std::atomic<bool> taken{false};  // by a call
  runtime::Stop stop;
  int arrived = 0;  // threads of the last team
  bool told_few_threads = false;

  State(const MultiHeadAttention& model, const SessionOptions& options);

  int team_threads() const noexcept;
  void find_threads();
  const runtime::Plan& plan_for(const AttentionInputs& inputs, const AttentionOutputs& outputs);
  void execute(const runtime::Plan& plan, const std::atomic<bool>* cancel);
  void reserve(const runtime::Plan& plan);
  void place(const runtime::Plan& plan);
  float* slab_memory(const runtime::Plan& plan, int worker) noexcept;
  void run_wide(const runtime::Plan& plan, runtime::Worker& worker, const threads::Member& member) noexcept;
  void run_deep(const runtime::Plan& plan, runtime::Worker& worker, float* memory) noexcept;
  void run_member(const runtime::Plan& plan, const threads::Member& member) noexcept;
  void run_team(const runtime::Plan& plan) noexcept;
  void tell_few_threads(const runtime::Plan& plan) noexcept;
  bool any_worker(bool runtime::Worker::*what) const noexcept;
  bool failed() const noexcept;
  void finish_cache(const runtime::Plan& plan) noexcept;
  void report_failure();
};

}  // namespace headwise
