// The tables that the kernel files define; which of them exist depends on the architecture of the build.
#pragma once

#include "attend.hpp"

namespace headwise::kernels {

extern const KernelTable reference_table;
void reference_scan(const MaskPlane& plane, const AttendTask& task, ChunkClass* classes) noexcept;
void reference_position(const PositionTask& task) noexcept;
void reference_layer_norm(const NormTask& task) noexcept;
void reference_activate(const ActivateTask& task) noexcept;
#if defined(__x86_64__)
extern const KernelTable sse2_table, avx2_table, avx512_table;
#elif defined(__aarch64__)
extern const KernelTable neon64_table;
#endif

}  // namespace headwise::kernels
