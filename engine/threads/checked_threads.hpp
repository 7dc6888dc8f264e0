// Numbers of threads as callers give them.
#pragma once

namespace headwise::threads {

// 0 becomes the default. Throws Error(invalid_argument) for a number below 0 or above Session::max_threads.
int checked_threads(int wanted);

}  // namespace headwise::threads
