#include "crew.hpp"

#include <algorithm>
#include <cstdio>

#include "fork.hpp"
#include "start_thread.hpp"

namespace headwise::threads {
namespace {

enum State : int { idle, working, leading, closing };

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
  Crew* crew;
  std::atomic<int> state{idle};
  const Work* work = nullptr;  // of the call that it helps
  Member member;
  Call* call = nullptr;    // that it leads
  Helper* next = nullptr;  // free, or in the same call

  explicit Helper(Crew* owner) noexcept : crew(owner) {}
  void become(State now) noexcept {
    state.store(now, std::memory_order_release);
    state.notify_one();
  }
};

// All memory first: nothing may throw once a thread runs.
Crew::Crew(int threads) : generation_(generation()) {
  for (int h = 0; h < threads; ++h) helpers_.push_back(std::make_unique<Helper>(this));
  helpers_.resize(start_helpers());
}

std::size_t Crew::start_helpers() noexcept {
  std::size_t started = 0;
  for (const auto& helper : helpers_) {
    if (!start_thread(helper->thread, serve, helper.get(), stack_bytes)) break;
    name_thread(helper->thread, ++started);
    give_back(*helper);
    ++free_seats_;
  }
  return started;
}

Crew::~Crew() {
  for (const auto& helper : helpers_) helper->become(closing);
  for (const auto& helper : helpers_) pthread_join(helper->thread, nullptr);
}

int Crew::waiting() const noexcept {
  const std::lock_guard lock(mutex_);
  return waiting_;
}

bool Crew::is_here() const noexcept {
  return generation_ == generation();
}

void* Crew::serve(void* argument) {
  Helper& helper = *static_cast<Helper*>(argument);
  for (;;) {
    wait_while(helper.state, idle, between_calls);
    const int state = helper.state.load(std::memory_order_acquire);
    if (state == closing) return nullptr;
    if (state == leading) {
      helper.crew->lead_waiting(helper);
    } else {
      helper.work->run(helper.member);
      helper.become(idle);
    }
  }
}

int Crew::run(int threads, const Work& work, const std::atomic<bool>* cancel) noexcept {
  Call call{&work, cancel, threads};
  if (enter(call)) {
    lead(call);
    leave(call);
  }
  return call.seats;
}

void Crew::lead(Call& call) noexcept {
  Barrier barrier;
  int index = 0;
  for (Helper* helper = call.helpers; helper != nullptr; helper = helper->next) {
    helper->work = call.work;
    helper->member = {++index, call.seats, &barrier};
    helper->become(working);
  }
  call.work->run({0, call.seats, &barrier});
  for (Helper* helper = call.helpers; helper != nullptr; helper = helper->next) {
    wait_while(helper->state, working, within_call);
  }
}

// Until no call waits for a seat.
void Crew::lead_waiting(Helper& leader) noexcept {
  for (Call* call = leader.call; call != nullptr;) {
    lead(*call);
    const std::lock_guard lock(mutex_);
    unseat(*call);
    end(*call);
    end_cancelled();
    call = seat_first();
    if (call == nullptr) {
      leader.state.store(idle, std::memory_order_relaxed);
      give_back(leader);
    }
    seat_waiting();
  }
}

// A caller is woken under the lock: its call goes, and the condition with it, only when it has got the lock itself.
void Crew::end(Call& call) noexcept {
  call.over = true;
  call.ended.notify_one();
}

void Crew::end_cancelled() noexcept {
  last_ = nullptr;
  for (Call** link = &first_; *link != nullptr;) {
    Call& call = **link;
    if (call.cancel == nullptr || !call.cancel->load(std::memory_order_relaxed)) {
      last_ = &call;
      link = &call.next;
      continue;
    }
    *link = call.next;
    --waiting_;
    call.seats = 0;
    end(call);
  }
}

// True when the calling thread is to lead; otherwise the call is over.
bool Crew::enter(Call& call) noexcept {
  if (helpers_.empty()) return true;
  std::unique_lock lock(mutex_);
  if (free_seats_ > 0) return seat(call), true;
  (first_ == nullptr ? first_ : last_->next) = &call;
  last_ = &call;
  ++waiting_;
  call.ended.wait(lock, [&] { return call.over; });
  return false;
}

void Crew::leave(Call& call) noexcept {
  if (helpers_.empty()) return;
  const std::lock_guard lock(mutex_);
  unseat(call);
  end_cancelled();
  seat_waiting();
}

Crew::Helper& Crew::take_helper() noexcept {
  Helper& helper = *free_helpers_;
  free_helpers_ = helper.next;
  return helper;
}

void Crew::give_back(Helper& helper) noexcept {
  helper.next = free_helpers_;
  free_helpers_ = &helper;
}

// Gives a call its share of the free seats, of which there is at least one. There are as many helpers as seats, so none
// is missing.
void Crew::seat(Call& call) noexcept {
  call.seats = std::clamp(free_seats_ / (waiting_ + 1), 1, call.wanted);
  free_seats_ -= call.seats;
  for (int h = 1; h < call.seats; ++h) {
    Helper& helper = take_helper();
    helper.next = call.helpers;
    call.helpers = &helper;
  }
}

void Crew::unseat(Call& call) noexcept {
  free_seats_ += call.seats;
  while (call.helpers != nullptr) {
    Helper& helper = *call.helpers;
    call.helpers = helper.next;
    give_back(helper);
  }
}

// Takes it from the queue and seats it, if there are both a call and a seat.
Crew::Call* Crew::seat_first() noexcept {
  if (first_ == nullptr || free_seats_ == 0) return nullptr;
  Call& call = *first_;
  first_ = call.next;
  --waiting_;
  seat(call);
  return &call;
}

void Crew::seat_waiting() noexcept {
  while (Call* call = seat_first()) {
    Helper& leader = take_helper();
    leader.call = call;
    leader.become(leading);
  }
}

}  // namespace headwise::threads
