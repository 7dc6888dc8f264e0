#include "checked_threads.hpp"

#include <string>

#include "headwise/attention.hpp"
#include "headwise/error.hpp"

namespace headwise::threads {

int checked_threads(int wanted) {
  if (wanted < 0 || wanted > Session::max_threads) {
    throw Error(ErrorCode::invalid_argument, "threads is " + std::to_string(wanted) + "; expected 0 (automatic) to " +
                                                 std::to_string(Session::max_threads));
  }
  return wanted == 0 ? default_threads() : wanted;
}

}  // namespace headwise::threads
