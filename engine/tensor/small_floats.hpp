// f16 (IEEE binary16) and bf16 (the upper half of an f32): conversion in integers alone, so that the host's
// flush-to-zero and rounding modes change nothing.
#pragma once

#include <cstdint>

namespace headwise {

float f16_to_f32(std::uint16_t bits) noexcept;
float bf16_to_f32(std::uint16_t bits) noexcept;

// Round to nearest, ties to even; too large becomes infinity, NaN stays a NaN with its sign. Each rounds once.
std::uint16_t f32_to_f16(float value) noexcept;
std::uint16_t f32_to_bf16(float value) noexcept;
std::uint16_t f64_to_f16(double value) noexcept;
std::uint16_t f64_to_bf16(double value) noexcept;
std::uint16_t integer_to_f16(bool negative, std::uint64_t magnitude) noexcept;
std::uint16_t integer_to_bf16(bool negative, std::uint64_t magnitude) noexcept;

}  // namespace headwise
