// Runs a piece of work again and again, each time with one more allocation going well before the first that fails.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>

#include "allocations.hpp"
#include "headwise/error.hpp"

// The part of a piece of work in which memory may run out.
class Fault {
 public:
  Fault(std::int64_t number, const Failure& failure) : number_(number), failure_(failure) {}

  // Calls `part`; false when it threw. It may throw that memory ran out, and `refusal`, what it throws with memory,
  // too.
  template <class Part>
  bool operator()(const Part& part, std::optional<headwise::ErrorCode> refusal = {}) {
    fail_allocation(number_, failure_);
    try {
      part();
      hit_ = end_failures();
      return true;
    } catch (const headwise::Error& error) {
      hit_ = end_failures();
      const bool ran_out = hit_ && error.code() == headwise::ErrorCode::out_of_memory;
      if (!ran_out && error.code() != refusal) note("", error.what());
    } catch (const std::exception& error) {
      hit_ = end_failures();
      note("no headwise::Error but ", error.what());
    }
    return false;
  }
  bool hit() const { return hit_; }  // an allocation failed
  const char* wrong() const { return wrong_; }

 private:
  void note(const char* before, const char* what) { std::snprintf(wrong_, sizeof wrong_, "%s%s", before, what); }

  std::int64_t number_;
  Failure failure_;
  bool hit_ = false;
  char wrong_[200] = {};  // a string would count as a leak
};

template <class Work>
std::int64_t fail_each_allocation(const Failure& failure, const Work& work, std::int64_t most = 1 << 20) {
  Fault none(0, failure);
  work(none);  // what libraries make once and keep is there from here on
  for (std::int64_t number = 1;; ++number) {
    CAPTURE(number);
    const std::int64_t before = live_allocations();
    Fault fault(number, failure);
    work(fault);
    // oneDNN 2.6.3 leaks 3 to 11 objects of its own when it runs out of memory while it makes a primitive.
    if (failure.of == Failure::Of::headwise) CHECK(live_allocations() - before == 0);
    CHECK(std::string(fault.wrong()) == "");
    if (!fault.hit() || number == most) return number;
  }
}

// Calls work(fault), which calls fault(part) once, for every allocation of that part: with this one failing, and with
// all from this one on. What the work makes must be gone when it returns. Gives how many allocations there are.
template <class Work>
std::int64_t fail_each_allocation(const Work& work) {
  fail_each_allocation({Failure::After::fail}, work);
  return fail_each_allocation({Failure::After::succeed}, work) - 1;
}
