// Which file a path means, and of which format it is.
#pragma once

#include <string>

namespace headwise {

enum class WeightFormat { safetensors, shard_index, npz };

// The path itself, or for a folder that of the model in it. Throws Error(io) when a folder holds no model or two, with
// what is there.
std::string file_of_model(const std::string& path);

// By the ending of the name, else by the first bytes; what is neither index nor archive goes to the safetensors reader.
// Throws Error(unsupported) for a single .npy array, Error(io) when the file cannot be read.
WeightFormat weight_format(const std::string& path);

}  // namespace headwise
