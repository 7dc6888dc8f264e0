// What became of this process's threads when it was forked.
#pragma once

namespace headwise::threads {

// How many forks lie between this process and the one that loaded the library: threads that were started when the
// number was another are not here.
int generation() noexcept;

// The parent had more threads than the one that forked, when it forked. OpenMP may then hold a team for the calling
// thread of which only the memory came along, and a parallel region would wait for it for ever: no region may start.
bool lost_threads() noexcept;

}  // namespace headwise::threads
