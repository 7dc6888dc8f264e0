// The rules of safetensors files, one after another, on a whole file in memory. Shares nothing with the engine.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct ModelTensor {
  std::string name, dtype;
  std::vector<std::uint64_t> shape;
  std::uint64_t begin = 0, end = 0;  // relative to the data
};

struct ModelFile {
  std::vector<ModelTensor> tensors;  // by begin, then end, then name
  std::map<std::string, std::string> metadata;
  std::string_view data;
};

// nullopt for a file that breaks a rule.
std::optional<ModelFile> read_model(std::string_view bytes, bool allow_trailing_bytes);
