#include "crew.hpp"

#include <algorithm>
#include <cstdio>

#include "fork.hpp"
#include "start_thread.hpp"

namespace headwise::threads {
namespace {

enum State : int { idle, working, closing };

// Kernels use less than a quarter of it (tests/threads/small_stack_test.cpp); the system's default may be as small as a
// host has made it.
constexpr std::size_t stack_bytes = 1 << 20;

// As debuggers and top show it; at most 15 characters.
void name_thread(pthread_t thread, std::size_t index) {
  char name[16];
  std::snprintf(name, sizeof name, "headwise-%zu", index);
  pthread_setname_np(thread, name);
}

}  // namespace

struct Crew::Helper {
  pthread_t thread;
  std::atomic<int> state{idle};
  const Work* work = nullptr;  // of the call
  Member member;
  Helper* next = nullptr;  // free, or in the same call

  void become(State now) noexcept {
    state.store(now, std::memory_order_release);
    state.notify_one();
  }
};

// All memory first: nothing may throw once a thread runs.
Crew::Crew(int threads) : generation_(generation()) {
  for (int h = 1; h < threads; ++h) helpers_.push_back(std::make_unique<Helper>());
  helpers_.resize(start_helpers());
}

std::size_t Crew::start_helpers() noexcept {
  std::size_t started = 0;
  for (const auto& helper : helpers_) {
    if (!start_thread(helper->thread, serve, helper.get(), stack_bytes)) break;
    name_thread(helper->thread, ++started);
    helper->next = free_helpers_;
    free_helpers_ = helper.get();
    ++free_seats_;
  }
  return started;
}

Crew::~Crew() {
  for (const auto& helper : helpers_) helper->become(closing);
  for (const auto& helper : helpers_) pthread_join(helper->thread, nullptr);
}

bool Crew::is_here() const noexcept {
  return generation_ == generation();
}

void* Crew::serve(void* argument) {
  Helper& helper = *static_cast<Helper*>(argument);
  for (;;) {
    wait_while(helper.state, idle, between_calls);
    if (helper.state.load(std::memory_order_acquire) == closing) return nullptr;
    helper.work->run(helper.member);
    helper.become(idle);
  }
}

int Crew::run(int threads, const Work& work) noexcept {
  Call call;
  call.wanted = threads;
  enter(call);
  Barrier barrier(call.seats);
  int index = 0;
  for (Helper* helper = call.helpers; helper != nullptr; helper = helper->next) {
    helper->work = &work;
    helper->member = {++index, &barrier};
    helper->become(working);
  }
  work.run({0, &barrier});
  for (Helper* helper = call.helpers; helper != nullptr; helper = helper->next) {
    wait_while(helper->state, working, within_call);
  }
  leave(call);
  return call.seats;
}

// Gives a call its share of the free seats, of which there is at least one.
void Crew::seat(Call& call) noexcept {
  call.seats = std::clamp(free_seats_ / (waiting_ + 1), 1, call.wanted);
  free_seats_ -= call.seats;
  for (int h = 1; h < call.seats; ++h) {
    Helper* helper = free_helpers_;
    free_helpers_ = helper->next;
    helper->next = call.helpers;
    call.helpers = helper;
  }
}

void Crew::enter(Call& call) noexcept {
  std::unique_lock lock(mutex_);
  if (waiting_ == 0 && free_seats_ > 0) return seat(call);
  (first_ == nullptr ? first_ : last_->next) = &call;
  last_ = &call;
  ++waiting_;
  call.seated.wait(lock, [&] { return call.seats > 0; });
}

void Crew::leave(Call& call) noexcept {
  const std::lock_guard lock(mutex_);
  free_seats_ += call.seats;
  while (call.helpers != nullptr) {
    Helper* helper = call.helpers;
    call.helpers = helper->next;
    helper->next = free_helpers_;
    free_helpers_ = helper;
  }
  seat_waiting();
}

// A call is woken under the lock: it ends, and its condition with it, only when it has got the lock itself.
void Crew::seat_waiting() noexcept {
  while (first_ != nullptr && free_seats_ > 0) {
    Call& call = *first_;
    first_ = call.next;
    --waiting_;
    seat(call);
    call.seated.notify_one();
  }
}

}  // namespace headwise::threads
