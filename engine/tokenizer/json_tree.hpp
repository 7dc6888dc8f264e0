// A JSON file from a stranger as a tree, without what is not wanted of it and without its vocabulary. Not nlohmann's
// tree, whose destructor allocates: where memory has run out, that would end the process.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "vocabulary.hpp"

namespace headwise {

struct JsonNode {
  nlohmann::json value{};                     // a plain value; of an array or object an empty one
  std::vector<JsonNode> items{};              // of an array, or of an object as its keys came
  std::map<std::string, std::size_t> keys{};  // of an object: which item
};

struct JsonTree {
  JsonNode root{};
  std::vector<VocabularyEntry> vocabulary{};  // model.vocab, where that is an object of ids
  bool has_keys = false;                      // the root is an object with some key, wanted or not
};

// Most values that a tree may have beside the vocabulary, and how deep they may nest.
inline constexpr std::size_t max_json_values = std::size_t{1} << 18;
inline constexpr std::size_t max_json_depth = 64;

// One JSON object or array; of an object's keys only the wanted are kept, or all when none is named. model.merges and a
// model.vocab that is an array are stepped over. Throws Error(bad_file), which names the file, also for a key twice.
JsonTree parse_json_tree(const std::string& path, const std::string& text, const std::vector<std::string>& wanted);
// The same of a file of at most so many bytes.
JsonTree read_json_tree(const std::string& path, std::uint64_t most, const std::vector<std::string>& wanted);

}  // namespace headwise
