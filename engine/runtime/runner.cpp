#include "runner.hpp"

#include <omp.h>

#include <algorithm>
#include <string>

#include "checked_threads.hpp"
#include "crew.hpp"
#include "float_mode.hpp"
#include "fork.hpp"
#include "headwise/executor.hpp"
#include "logging.hpp"
#include "memory.hpp"

namespace headwise::runtime {

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

Runner::Runner(std::span<const projection::Linear* const> products, int max_steps, const SessionOptions& options)
    : schedule_(checked_schedule(options.schedule)),
      executor_(options.executor),
      allocator_(options.allocator),
      counters_(static_cast<std::size_t>(max_steps)) {
  check_allocator(allocator_);
  const int threads = team_size(options);
  workers.reserve(static_cast<std::size_t>(threads));
  for (int t = 0; t < threads; ++t) workers.emplace_back(products);
}

int Runner::team_threads() const noexcept {
  return executor_ == nullptr && omp_in_parallel() != 0 ? 1 : threads();
}

// After fork() threads of before, OpenMP's or an executor's, are no longer there. Those of an executor of its own are.
void Runner::find_threads() {
  const bool there = executor_ != nullptr ? executor_->crew().is_here() : !threads::lost_threads();
  if (!there && threads() > 1) executor_ = std::make_shared<Executor>(threads());
}

void Runner::execute(const Graph& graph, const std::atomic<bool>* cancel) {
  stop_.begin(cancel);
  if (stop_.is_set()) report_failure();
  reserve(graph.plan);
  place(graph);
  run_team(graph);
  if (graph.plan.threads > 1) workers[0].note(SpanKind::wait);
  tell_few_threads(graph.plan);
}

// Grows by need only; a call that is no larger than an earlier one finds everything there.
void Runner::reserve(const Plan& plan) {
  const std::int64_t floats = plan.scratch_floats();
  if (scratch_.given() && scratch_.size() >= floats) return;
  scratch_ = Tensor();  // give the old piece back first
  scratch_ = Tensor(DType::f32, {floats}, allocator_);
}

float* Runner::slab_memory(const Plan& plan, int worker) noexcept {
  const std::int64_t own = plan.deep ? worker * plan.slab_floats : 0;
  return scratch_.data() + plan.threads * plan.worker.floats + own;
}

void Runner::place(const Graph& graph) {
  const Plan& plan = graph.plan;
  for (Worker& worker : workers) {
    worker.failed = worker.out_of_memory = false;
    worker.stop = stop_.can_be_set() ? &stop_ : nullptr;
  }
  for (int t = 0; t < plan.threads; ++t) {
    workers[static_cast<std::size_t>(t)].memory = scratch_.data() + t * plan.worker.floats;
  }
  for (int i = 0; i < graph.num_steps; ++i) counters_[static_cast<std::size_t>(i)].store(0, std::memory_order_relaxed);
}

// A step at a time, all threads inside it; a step starts when the one before it is complete.
void Runner::run_wide(const Graph& graph, Worker& worker, const Member& member) noexcept {
  const Plan& plan = graph.plan;
  const Slab all{0, plan.request.sizes.batch, slab_memory(plan, 0)};
  for (int i = 0; i < graph.num_steps; ++i) {
    worker.begin_step(plan.threads > 1 ? &counters_[static_cast<std::size_t>(i)] : nullptr);
    graph.run(i, all, worker);
    worker.note(SpanKind::work, i);
    if (plan.threads > 1) {
      member.wait();
      worker.note(SpanKind::wait, i);
    }
  }
}

// Each thread takes slabs and carries them through all steps; no thread waits for another.
void Runner::run_deep(const Graph& graph, Worker& worker, float* memory) noexcept {
  const Tables& t = graph.plan.tables();
  for (std::int64_t s = 0; !worker.is_stopped() && (s = counters_[0].fetch_add(1)) < graph.plan.slabs;) {
    const auto place = static_cast<std::size_t>(t.slab_order[static_cast<std::size_t>(s)]);
    const Slab slab{t.slab_starts[place], t.slab_starts[place + 1] - t.slab_starts[place], memory};
    for (int i = 0; i < graph.num_steps; ++i) {
      worker.begin_step(nullptr);
      graph.run(i, slab, worker);
      worker.note(SpanKind::work, i);
    }
  }
}

void Runner::run_member(const Graph& graph, const Member& member) noexcept {
  const FloatMode mode;
  const projection::SingleThread guard;  // a team may turn out to have one member, where oneDNN would start its own
  Worker& worker = workers[static_cast<std::size_t>(member.index)];
  worker.note(member.index == 0 ? SpanKind::call : SpanKind::wait);
  graph.plan.deep ? run_deep(graph, worker, slab_memory(graph.plan, member.index)) : run_wide(graph, worker, member);
}

void Runner::run_team(const Graph& graph) noexcept {
  arrived_ = 1;
  if (graph.plan.threads == 1) return run_member(graph, {});
  auto run = [this, &graph](const Member& member) noexcept { run_member(graph, member); };
  arrived_ = threads::run_team({graph.plan.threads, executor_.get(), stop_.flag()}, run);
  if (arrived_ == 0) stop_.set();
}

// Once a session: a limit of OpenMP or the system will not go away by itself. That callers of an executor share its
// threads is what it is for.
void Runner::tell_few_threads(const Plan& plan) noexcept {
  if (arrived_ >= plan.threads || executor_ != nullptr || told_few_threads_ || !has_log_handler()) return;
  told_few_threads_ = true;
  log(LogLevel::warning, [&] {
    return "a call planned for " + std::to_string(plan.threads) + " threads got " + std::to_string(arrived_) +
           ", which is slower but as right; OMP_THREAD_LIMIT, OMP_DYNAMIC or a limit of the system may be the reason";
  });
}

bool Runner::any_worker(bool Worker::*what) const noexcept {
  return std::any_of(workers.begin(), workers.end(), [&](const Worker& worker) { return worker.*what; });
}

bool Runner::failed() const noexcept {
  return stop_.seen() || any_worker(&Worker::failed);
}

void Runner::report_failure() const {
  if (stop_.seen()) throw Error(ErrorCode::cancelled, "the call was cancelled; the outputs are incomplete");
  if (any_worker(&Worker::out_of_memory)) throw std::bad_alloc();
  if (failed()) throw Error(ErrorCode::internal, "oneDNN failed to run a projection; the outputs are incomplete");
}

}  // namespace headwise::runtime
