// Builds safetensors files, right and wrong ones.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "headwise/tensor.hpp"

// The bytes of a file with this header text, whatever it says, and this data.
inline std::string safetensors_bytes(const std::string& header, const std::string& data) {
  const std::uint64_t length = header.size();
  std::string bytes(sizeof length, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  return bytes + header + data;
}

struct NamedTensor {
  std::string name;
  headwise::Tensor tensor;
};

inline const char* safetensors_type(headwise::DType dtype) {
  constexpr const char* names[] = {"F32", "F64", "F16", "BF16", "I64", "I32", "I16",
                                   "I8",  "U64", "U32", "U16",  "U8",  "BOOL"};
  return names[static_cast<int>(dtype)];
}

inline std::string safetensors_entry(const NamedTensor& named, std::size_t begin, std::size_t end) {
  const std::string shape = headwise::to_string(named.tensor.shape());
  return "\"" + named.name + "\":{\"dtype\":\"" + safetensors_type(named.tensor.dtype()) + "\",\"shape\":" + shape +
         ",\"data_offsets\":[" + std::to_string(begin) + "," + std::to_string(end) + "]}";
}

// A valid file with these tensors in this order.
inline std::string safetensors_file(const std::vector<NamedTensor>& tensors) {
  std::string entries, data;
  for (const NamedTensor& named : tensors) {
    const std::size_t begin = data.size();
    const std::size_t bytes = static_cast<std::size_t>(named.tensor.size()) * dtype_size(named.tensor.dtype());
    data.append(static_cast<const char*>(named.tensor.view().data), bytes);
    entries += (entries.empty() ? "" : ",") + safetensors_entry(named, begin, data.size());
  }
  return safetensors_bytes("{" + entries + "}", data);
}
