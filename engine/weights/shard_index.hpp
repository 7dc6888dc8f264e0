// The JSON of a shard index: which tensor is in which file. The shards themselves are opened by shards.cpp.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headwise {

struct ShardIndex {
  std::vector<std::string> shards;                           // each once, sorted
  std::vector<std::pair<std::string, std::size_t>> tensors;  // sorted by name, with the number of the shard
};

// Throws Error(bad_file) with a message that starts with the file's name: for JSON that is no object with one
// weight_map from strings to strings, a tensor twice (after unescaping), and a shard that is not a plain file name. No
// file is looked at.
ShardIndex parse_shard_index(std::string_view json, const std::string& path);

}  // namespace headwise
