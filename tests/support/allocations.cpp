#include "allocations.hpp"

#include <link.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "new_operators.hpp"

#define HEADWISE_EXPORT __attribute__((visibility("default")))

namespace {

std::atomic<std::int64_t> count{0}, freed{0};
std::atomic<std::int64_t> until_failure{0};  // 0: none is wanted
std::atomic<bool> failed{false}, fails_again{false};
std::atomic<Failure::Of> failing{Failure::Of::headwise};

// The code of a shared library; none until it is loaded.
struct CodeRange {
  const char* name;
  std::uintptr_t begin = 0, end = 0;

  bool holds(const void* caller) const noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(caller);
    return address >= begin && address < end;
  }
};

CodeRange onednn{"libdnnl"}, libzip{"libzip.so"};

int find_code(dl_phdr_info* library, std::size_t, void* wanted) {
  auto& range = *static_cast<CodeRange*>(wanted);
  if (std::strstr(library->dlpi_name, range.name) == nullptr) return 0;
  for (int i = 0; i < library->dlpi_phnum; ++i) {
    const auto& part = library->dlpi_phdr[i];
    const bool is_code = part.p_type == PT_LOAD && (part.p_flags & PF_X) != 0;
    if (!is_code) continue;
    range.begin = library->dlpi_addr + part.p_vaddr;
    range.end = range.begin + part.p_memsz;
  }
  return 1;
}

bool must_fail(const void* caller) noexcept {
  const Failure::Of of = onednn.holds(caller)   ? Failure::Of::onednn
                         : libzip.holds(caller) ? Failure::Of::libzip
                                                : Failure::Of::headwise;
  if (of != failing) return false;
  if (failed) return fails_again;
  if (until_failure == 0 || until_failure.fetch_sub(1) != 1) return false;
  failed = true;
  return true;
}

}  // namespace

std::int64_t allocations() noexcept {
  return count;
}

std::int64_t live_allocations() noexcept {
  return count - freed;
}

void fail_allocation(std::int64_t number, const Failure& failure) noexcept {
  for (CodeRange* library : {&onednn, &libzip}) dl_iterate_phdr(find_code, library);
  failed = false;
  fails_again = failure.after == Failure::After::fail;
  failing = failure.of;
  until_failure = number;
}

bool end_failures() noexcept {
  until_failure = 0;
  fails_again = false;
  return failed.exchange(false);
}

void* new_memory(std::size_t size, std::size_t alignment, const void* caller) noexcept {
  return must_fail(caller) ? nullptr : plain_memory(size, alignment);
}

void delete_memory(void* memory) noexcept {
  std::free(memory);
}

// As with new, the executable's own definitions come first.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__GLIBC__)
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);

static void* counted(void* memory) {
  count += memory != nullptr ? 1 : 0;
  return memory;
}

static bool libzip_must_fail(const void* caller) noexcept {
  if (!libzip.holds(caller) || !must_fail(caller)) return false;
  errno = ENOMEM;  // as malloc leaves it
  return true;
}

HEADWISE_EXPORT void* malloc(std::size_t size) {
  return libzip_must_fail(__builtin_return_address(0)) ? nullptr : counted(__libc_malloc(size));
}
HEADWISE_EXPORT void* calloc(std::size_t number, std::size_t size) {
  return must_fail(__builtin_return_address(0)) ? nullptr : counted(__libc_calloc(number, size));
}
HEADWISE_EXPORT void* realloc(void* memory, std::size_t size) {
  if (libzip_must_fail(__builtin_return_address(0))) return nullptr;
  void* moved = counted(__libc_realloc(memory, size));
  freed += memory != nullptr && (moved != nullptr || size == 0) ? 1 : 0;
  return moved;
}
HEADWISE_EXPORT void* memalign(std::size_t alignment, std::size_t size) {
  return counted(__libc_memalign(alignment, size));
}
HEADWISE_EXPORT void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return counted(__libc_memalign(alignment, size));
}
HEADWISE_EXPORT int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  *memory = counted(__libc_memalign(alignment, size));
  return *memory == nullptr ? ENOMEM : 0;
}
HEADWISE_EXPORT void free(void* memory) {
  freed += memory != nullptr ? 1 : 0;
  __libc_free(memory);
}
}
#endif
