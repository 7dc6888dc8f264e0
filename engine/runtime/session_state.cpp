#include "session_state.hpp"

#include <omp.h>

#include <algorithm>
#include <string>

#include "cache_access.hpp"
#include "checked_threads.hpp"
#include "crew.hpp"
#include "float_mode.hpp"
#include "fork.hpp"
#include "headwise/executor.hpp"
#include "logging.hpp"
#include "memory.hpp"

namespace headwise {

using runtime::Plan;
using runtime::Slab;
using runtime::Worker;
using threads::Member;

namespace {

int team_size(const SessionOptions& options) {
  if (options.executor == nullptr) return threads::checked_threads(options.threads);
  const int most = options.executor->threads();
  return options.threads == 0 ? most : std::min(threads::checked_threads(options.threads), most);
}

Schedule checked_schedule(Schedule wanted) {
  if (wanted == Schedule::automatic || wanted == Schedule::wide || wanted == Schedule::deep) return wanted;
  throw Error(ErrorCode::invalid_argument,
              "schedule is no value of its type: " + std::to_string(static_cast<int>(wanted)));
}

}  // namespace

Session::State::State(const MultiHeadAttention& model, const SessionOptions& options)
    : attention(model),
      schedule(checked_schedule(options.schedule)),
      executor(options.executor),
      allocator(options.allocator) {
  check_allocator(allocator);
  const int threads = team_size(options);
  workers.reserve(static_cast<std::size_t>(threads));
  for (int t = 0; t < threads; ++t) workers.emplace_back(attention.model());
}

int Session::State::team_threads() const noexcept {
  return executor == nullptr && omp_in_parallel() != 0 ? 1 : static_cast<int>(workers.size());
}

// After fork() threads of before, OpenMP's or an executor's, are no longer there. Those of an executor of its own are.
void Session::State::find_threads() {
  const bool there = executor != nullptr ? executor->crew().is_here() : !threads::lost_threads();
  if (!there && workers.size() > 1) executor = std::make_shared<Executor>(static_cast<int>(workers.size()));
}

const Plan& Session::State::plan_for(const AttentionInputs& inputs, const AttentionOutputs& outputs) {
  const int threads = team_threads();
  if (const Plan* plan = last.plan_for(inputs, outputs, threads)) return *plan;
  Plan& plan = last.forget();
  plan.model = &attention.model();
  runtime::read_request(*plan.model, inputs, outputs, tables, plan.request);
  runtime::make_plan(plan, tables, {threads, schedule});
  last.remember(inputs, outputs, threads);
  return plan;
}

// Runs a plan and lets the cache know what became of its new tokens.
void Session::State::execute(const Plan& plan, const std::atomic<bool>* cancel) {
  stop.begin(cancel);
  if (stop.is_set()) return report_failure();
  reserve(plan);
  place(plan);
  run_team(plan);
  if (plan.threads > 1) workers[0].note(SpanKind::wait);
  tell_few_threads(plan);
  finish_cache(plan);
  report_failure();
}

void Session::State::finish_cache(const Plan& plan) noexcept {
  const runtime::Request& r = plan.request;
  if (r.cache == nullptr || !r.key.given) return;
  const auto finish = failed() ? KvCache::Access::abandon : KvCache::Access::commit;
  for (std::int64_t b = 0; b < r.sizes.batch; ++b) finish(*r.cache, b, r.sequence(b).new_keys);
}

// Grows by need only; a call that is no larger than an earlier one finds everything there.
void Session::State::reserve(const Plan& plan) {
  const std::int64_t floats = plan.scratch_floats();
  if (scratch.given() && scratch.size() >= floats) return;
  scratch = Tensor();  // give the old piece back first
  scratch = Tensor(DType::f32, {floats}, allocator);
}

float* Session::State::slab_memory(const Plan& plan, int worker) noexcept {
  const std::int64_t own = plan.deep ? worker * plan.slab_floats : 0;
  return scratch.data() + plan.threads * plan.worker.floats + own;
}

void Session::State::place(const Plan& plan) {
  for (Worker& worker : workers) {
    worker.failed = worker.out_of_memory = false;
    worker.stop = stop.can_be_set() ? &stop : nullptr;
  }
  for (int t = 0; t < plan.threads; ++t) {
    workers[static_cast<std::size_t>(t)].memory = scratch.data() + t * plan.worker.floats;
  }
  for (auto& counter : counters) counter.store(0, std::memory_order_relaxed);
}

// A step at a time, all threads inside it; a step starts when the one before it is complete.
void Session::State::run_wide(const Plan& plan, Worker& worker, const Member& member) noexcept {
  const Slab all{0, plan.request.sizes.batch, slab_memory(plan, 0)};
  for (int i = 0; i < plan.num_steps; ++i) {
    worker.begin_step(plan.threads > 1 ? &counters[static_cast<std::size_t>(i)] : nullptr);
    plan.steps[i].run(plan, all, worker);
    worker.note(SpanKind::work, i);
    if (plan.threads > 1) {
      member.wait();
      worker.note(SpanKind::wait, i);
    }
  }
}

// Each thread takes slabs and carries them through all steps; no thread waits for another.
void Session::State::run_deep(const Plan& plan, Worker& worker, float* memory) noexcept {
  const runtime::Tables& t = plan.tables();
  for (std::int64_t s = 0; !worker.is_stopped() && (s = counters[0].fetch_add(1)) < plan.slabs;) {
    const auto place = static_cast<std::size_t>(t.slab_order[static_cast<std::size_t>(s)]);
    const Slab slab{t.slab_starts[place], t.slab_starts[place + 1] - t.slab_starts[place], memory};
    for (int i = 0; i < plan.num_steps; ++i) {
      worker.begin_step(nullptr);
      plan.steps[i].run(plan, slab, worker);
      worker.note(SpanKind::work, i);
    }
  }
}

void Session::State::run_member(const Plan& plan, const Member& member) noexcept {
  const FloatMode mode;
  const projection::SingleThread guard;  // a team may turn out to have one member, where oneDNN would start its own
  Worker& worker = workers[static_cast<std::size_t>(member.index)];
  worker.note(member.index == 0 ? SpanKind::call : SpanKind::wait);
  plan.deep ? run_deep(plan, worker, slab_memory(plan, member.index)) : run_wide(plan, worker, member);
}

void Session::State::run_team(const Plan& plan) noexcept {
  arrived = 1;
  if (plan.threads == 1) return run_member(plan, {});
  auto run = [this, &plan](const Member& member) noexcept { run_member(plan, member); };
  arrived = threads::run_team(executor.get(), plan.threads, run);
}

// Once a session: a limit of OpenMP or the system will not go away by itself. That callers of an executor share its
// threads is what it is for.
void Session::State::tell_few_threads(const Plan& plan) noexcept {
  if (arrived >= plan.threads || executor != nullptr || told_few_threads || !has_log_handler()) return;
  told_few_threads = true;
  log(LogLevel::warning, [&] {
    return "a call planned for " + std::to_string(plan.threads) + " threads got " + std::to_string(arrived) +
           ", which is slower but as right; OMP_THREAD_LIMIT, OMP_DYNAMIC or a limit of the system may be the reason";
  });
}

bool Session::State::any_worker(bool Worker::*what) const noexcept {
  return std::any_of(workers.begin(), workers.end(), [&](const Worker& worker) { return worker.*what; });
}

bool Session::State::failed() const noexcept {
  return stop.seen() || any_worker(&Worker::failed);
}

void Session::State::report_failure() {
  if (stop.seen()) throw Error(ErrorCode::cancelled, "the call was cancelled; the outputs are incomplete");
  if (any_worker(&Worker::out_of_memory)) throw std::bad_alloc();
  if (failed()) throw Error(ErrorCode::internal, "oneDNN failed to run a projection; the outputs are incomplete");
}

}  // namespace headwise
