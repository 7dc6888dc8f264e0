#include "headwise/executor.hpp"

#include <new>

#include "checked_threads.hpp"
#include "crew.hpp"
#include "headwise/error.hpp"

namespace headwise {

Executor::Executor(int threads) try : crew_(std::make_unique<threads::Crew>(threads::checked_threads(threads))) {
} catch (const std::bad_alloc&) {
  throw Error(ErrorCode::out_of_memory, "no memory for an executor");
}

// In a child of fork() there is nobody to wait for, and the memory that the threads left behind is not to be touched.
Executor::~Executor() {
  if (!crew_->is_here()) (void)crew_.release();
}

int Executor::threads() const noexcept {
  return crew_->threads();
}

}  // namespace headwise
