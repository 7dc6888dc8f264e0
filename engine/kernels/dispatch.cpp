// Chooses a kernel table by what the CPU has. __builtin_cpu_supports looks at CPUID and at XCR0, so a feature whose
// registers the operating system does not save counts as absent.
#include <cstring>

#include "tables.hpp"

namespace headwise::kernels {

namespace {

constexpr const KernelTable* tables[] = {
#if defined(__x86_64__)
    &avx512_table, &avx2_table, &sse2_table,
#elif defined(__aarch64__)
    &neon64_table,
#endif
    &reference_table};

bool has_feature(const char* name, std::size_t length) noexcept {
  const auto is = [&](const char* known) { return std::strlen(known) == length && !std::memcmp(known, name, length); };
#if defined(__x86_64__)
  if (is("sse2")) return __builtin_cpu_supports("sse2");
  if (is("avx2")) return __builtin_cpu_supports("avx2");
  if (is("fma")) return __builtin_cpu_supports("fma");
  if (is("avx512f")) return __builtin_cpu_supports("avx512f");
  if (is("avx512cd")) return __builtin_cpu_supports("avx512cd");
  if (is("avx512dq")) return __builtin_cpu_supports("avx512dq");
  if (is("avx512bw")) return __builtin_cpu_supports("avx512bw");
#endif
  return is("neon");  // part of every aarch64
}

}  // namespace

KernelList compiled_kernels() noexcept {
  return {tables, int(sizeof tables / sizeof *tables)};
}

// A feature that the list above does not know counts as absent, so a new compile flag can't slip past the dispatcher.
bool cpu_supports(const KernelTable& table) noexcept {
  for (const char* at = table.features; *at != '\0';) {
    const std::size_t length = std::strcspn(at, " ");
    if (!has_feature(at, length)) return false;
    at += length + (at[length] == ' ');
  }
  return true;
}

const KernelTable* find_kernels(const char* isa) noexcept {
  for (const KernelTable* table : tables) {
    if (std::strcmp(table->isa, isa) == 0) return table;
  }
  return nullptr;
}

const KernelTable& best_kernels() noexcept {
  for (const KernelTable* table : tables) {
    if (cpu_supports(*table)) return *table;
  }
  return reference_table;
}

}  // namespace headwise::kernels
