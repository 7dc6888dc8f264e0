#include "boundary.hpp"
#include "handles.hpp"
#include "structs.hpp"

using namespace headwise::capi;

// Setting it is all that a signal handler may do, so it must need no lock.
static_assert(std::atomic<bool>::is_always_lock_free);

headwise_status headwise_cancel_flag_create(headwise_cancel_flag** flag) {
  return guard([&] {
    auto& result = deref("flag", flag);
    result = new headwise_cancel_flag;
  });
}

void headwise_cancel_flag_free(headwise_cancel_flag* flag) {
  delete flag;
}

void headwise_cancel_flag_set(headwise_cancel_flag* flag) {
  if (flag != nullptr) flag->set.store(true, std::memory_order_relaxed);
}

void headwise_cancel_flag_clear(headwise_cancel_flag* flag) {
  if (flag != nullptr) flag->set.store(false, std::memory_order_relaxed);
}

int32_t headwise_cancel_flag_is_set(const headwise_cancel_flag* flag) {
  return flag != nullptr && flag->set.load(std::memory_order_relaxed) ? 1 : 0;
}
