// The JSON header of a safetensors file: from text to entries (safetensors_header.cpp), and from entries to a layout
// that covers the data byte for byte (safetensors_rules.cpp).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "headwise/weights.hpp"

namespace headwise {

struct SafetensorsHeader {
  std::vector<TensorInfo> tensors;
  std::map<std::string, std::string> metadata;
};

// Reads the JSON and checks its form: types, required and repeated fields, depth. Throws Error(bad_file) with a message
// that starts with the file's name.
SafetensorsHeader parse_safetensors_header(std::string_view json, const std::string& path);

// Checks names, types, sizes and offsets against a data section of `data_bytes`, and sorts the tensors in byte order.
// Throws Error(bad_file).
void check_safetensors_layout(SafetensorsHeader& header, std::uint64_t data_bytes, bool allow_trailing_bytes,
                              const std::string& path);

// The DType of a safetensors type, nullopt for those that headwise has no use for.
std::optional<DType> dtype_of_safetensors(std::string_view name) noexcept;
// And back: every DType has one.
std::string_view safetensors_type(DType dtype) noexcept;

}  // namespace headwise
