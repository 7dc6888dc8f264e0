#include "shard_index.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "headwise/error.hpp"
#include "text.hpp"

namespace headwise {
namespace {

using nlohmann::json;

constexpr int max_depth = 127;            // as in a safetensors header
constexpr std::size_t max_shards = 1000;  // each stays open, and systems allow a process some 1,024 files

[[noreturn]] void refuse(const std::string& path, const std::string& problem) {
  throw Error(ErrorCode::bad_file, in_quotes(path) + ": " + problem);
}

// Keeps the pairs of weight_map and steps over all else, however deep or long it is. A method returns false to stop the
// parser.
class IndexEvents : public nlohmann::json_sax<json> {
 public:
  std::vector<std::pair<std::string, std::string>> pairs;
  bool map_seen = false;
  std::string problem;

  bool null() override { return scalar(); }
  bool boolean(bool) override { return scalar(); }
  bool number_integer(number_integer_t) override { return scalar(); }
  bool number_unsigned(number_unsigned_t) override { return scalar(); }
  bool number_float(number_float_t, const string_t&) override { return scalar(); }
  bool binary(binary_t&) override { return scalar(); }
  bool string(string_t& file) override {
    if (!in_map_) return scalar();
    pairs.back().second = std::move(file);
    return true;
  }
  bool start_object(std::size_t) override {
    if (in_map_) return no_string();
    in_map_ = is_map_;
    is_map_ = false;
    return deeper();
  }
  bool end_object() override {
    --depth_;
    in_map_ = false;
    return true;
  }
  bool start_array(std::size_t) override { return scalar() && deeper(); }
  bool end_array() override {
    --depth_;
    return true;
  }
  bool key(string_t& name) override {
    if (in_map_) pairs.emplace_back(std::move(name), std::string());
    if (depth_ != 1 || name != "weight_map") return true;
    if (map_seen) return fail("duplicate weight_map");
    return is_map_ = map_seen = true;
  }
  bool parse_error(std::size_t position, const std::string&, const json::exception&) override {
    return fail("the index is not valid JSON near its byte " + std::to_string(position));
  }

 private:
  bool fail(const std::string& what) {
    if (problem.empty()) problem = what;
    return false;
  }
  bool no_string() { return fail("weight_map: the file of " + in_quotes(pairs.back().first) + " is no string"); }
  // A value that means nothing unless it stands where the map or a file name must.
  bool scalar() {
    if (in_map_) return no_string();
    return !is_map_ || fail("weight_map is no object");
  }
  bool deeper() { return ++depth_ <= max_depth || fail("the index nests deeper than " + std::to_string(max_depth)); }

  int depth_ = 0;
  bool is_map_ = false, in_map_ = false;  // the next value is weight_map; we are inside it
};

// Nothing that could lead out of the folder or be cut short by the system.
bool is_plain_name(const std::string& name) {
  const bool separates = name.find_first_of(std::string_view("/\\\0", 3)) != std::string::npos;
  return !name.empty() && !separates && name != "." && name != "..";
}

void check_pairs(const std::vector<std::pair<std::string, std::string>>& sorted, const std::string& path) {
  for (const auto& [tensor, file] : sorted) {
    if (is_plain_name(file)) continue;
    refuse(path, "tensor " + in_quotes(tensor) + " is said to be in " + in_quotes(file) +
                     ", but a shard must be a plain file name in the folder of the index");
  }
  const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end(), same);
  if (twice != sorted.end()) refuse(path, "duplicate tensor name " + in_quotes(twice->first));
}

ShardIndex number_shards(std::vector<std::pair<std::string, std::string>> pairs, const std::string& path) {
  std::map<std::string, std::size_t> numbers;
  for (const auto& pair : pairs) {
    numbers.emplace(pair.second, 0);
    if (numbers.size() > max_shards) refuse(path, "more than " + std::to_string(max_shards) + " shards");
  }
  ShardIndex index;
  for (auto& [name, number] : numbers) {
    number = index.shards.size();
    index.shards.push_back(name);
  }
  for (auto& [tensor, file] : pairs) index.tensors.emplace_back(std::move(tensor), numbers[file]);
  return index;
}

}  // namespace

ShardIndex parse_shard_index(std::string_view text, const std::string& path) {
  if (const char* problem = object_problem(text)) refuse(path, std::string("the index ") + problem);
  IndexEvents events;
  if (!json::sax_parse(text.begin(), text.end(), &events)) refuse(path, events.problem);
  if (!events.map_seen) refuse(path, "no shard index, weight_map is missing");
  std::sort(events.pairs.begin(), events.pairs.end());
  check_pairs(events.pairs, path);
  return number_shards(std::move(events.pairs), path);
}

}  // namespace headwise
