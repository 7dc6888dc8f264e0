// Adjacent f16 and bf16 numbers to and from f32, with the same bits as small_floats.hpp: chunks of ordinary numbers and
// zeros go through loops that the compiler vectorises (a tenth of the time), a chunk with anything else number by
// number.
#pragma once

#include <cstdint>

namespace headwise {

void widen_f16(const std::uint16_t* from, float* to, std::int64_t count) noexcept;
void widen_bf16(const std::uint16_t* from, float* to, std::int64_t count) noexcept;
void narrow_f16(const float* from, std::uint16_t* to, std::int64_t count) noexcept;
void narrow_bf16(const float* from, std::uint16_t* to, std::int64_t count) noexcept;

}  // namespace headwise
