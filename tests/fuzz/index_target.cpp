// A shard index beside two good shards: it is read exactly when the strict model of JSON and the rules of an index say
// so, and nothing but these two files is ever opened.
#include <map>
#include <set>

#include "headwise/weights.hpp"
#include "json_model.hpp"
#include "safetensors_writer.hpp"
#include "target.hpp"

using namespace headwise;

namespace {

// Tensor -> its shard.
const std::map<std::string, std::string> placed = {{"a", "s1"}, {"b", "s1"}, {"c", "s2"}};

NamedTensor numbered(const char* name, float number) {
  Tensor tensor(Dims{2});
  tensor.data()[0] = tensor.data()[1] = number;
  return {name, std::move(tensor)};
}

void write_shards(const TemporaryFolder& folder) {
  std::vector<NamedTensor> first, second;
  first.push_back(numbered("a", 1));
  first.push_back(numbered("b", 2));
  second.push_back(numbered("c", 3));
  folder.write("s1", safetensors_file(first));
  folder.write("s2", safetensors_file(second));
}

bool is_index(const std::optional<Json>& json) {
  if (!json || json->kind != Json::Kind::object) return false;
  const auto maps = json->all("weight_map");
  if (maps.size() != 1 || maps[0]->kind != Json::Kind::object) return false;
  std::set<std::string> names;
  for (std::size_t i = 0; i < maps[0]->items.size(); ++i) {
    const auto place = placed.find(maps[0]->keys[i]);
    const Json& shard = maps[0]->items[i];
    if (shard.kind != Json::Kind::text || place == placed.end() || place->second != shard.text) return false;
    if (!names.insert(place->first).second) return false;
  }
  return true;
}

void check(const WeightFile& file) {
  float number = 0;
  for (const auto& [name, shard] : placed) {
    number += 1;
    const TensorInfo* info = file.find(name);
    if (info == nullptr) continue;
    require(info->file == shard, "a tensor tells its shard");
    require(file.read(name).data()[1] == number, "a tensor comes from its shard");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const InputFolder folder("model.safetensors.index.json");
  static const bool written = (write_shards(folder.folder()), true);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  folder.write(text);
  const bool index = is_index(parse_json(text));
  const bool opened = accepted([&] {
    const WeightFile file = WeightFile::open(folder.input());
    require(index, "what breaks a rule is refused");
    check(file);
  });
  require(written && opened == index, "what keeps the rules is read");
  return 0;
}
