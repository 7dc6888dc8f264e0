#include "address_space.hpp"

#include <sys/mman.h>

#include <algorithm>

#include "console.hpp"
#include "text.hpp"

namespace headwise::tools {

AddressSpace::~AddressSpace() {
  for (const auto& [start, bytes] : ranges_) munmap(start, bytes);
}

void* AddressSpace::reserve(std::uint64_t bytes) {
  const std::uint64_t length = std::max<std::uint64_t>(bytes, 1);
  ranges_.reserve(ranges_.size() + 1);
  void* start = mmap(nullptr, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED)
    throw CommandError("a result of " + byte_text(bytes) + " is more than this system addresses");
  ranges_.emplace_back(start, length);
  return start;
}

}  // namespace headwise::tools
