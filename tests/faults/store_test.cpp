// Every allocation of writing files fails once, and those of libzip.
#include <filesystem>

#include "each_failure.hpp"
#include "headwise/files.hpp"
#include "headwise/npy.hpp"
#include "headwise/weight_layouts.hpp"
#include "temporary_folder.hpp"

using namespace headwise;

namespace {

Tensor counting(const Dims& shape) {
  Tensor tensor(shape);
  for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.data()[i] = static_cast<float>(i);
  return tensor;
}

AttentionWeights small_layer() {
  return random_weights({.model_dim = 8, .num_heads = 4, .num_kv_heads = 2}, 3);
}

// Names that no string holds in itself.
const std::string first = "encoder.layers.0.self_attention", second = "encoder.layers.1.self_attention";

template <class Work>
std::int64_t fail_each_of_libzip(const Work& work) {
  std::int64_t count = 0;
  for (const Failure::After after : {Failure::After::succeed, Failure::After::fail}) {
    count = fail_each_allocation({after, Failure::Of::libzip}, work) - 1;
  }
  return count;
}

// `save` replaces the file of one array; where it fails that file stays, and nothing is left beside it.
template <class Save>
auto replacing(const std::string& path, const Save& save) {
  return [=](Fault& fault) {
    save(path, std::vector<NamedView>{{first, counting({2})}});
    const Tensor three = counting({3}), four = counting({4});
    const std::vector<NamedView> views{{first, three}, {second, four}};
    const bool done = fault([&] { save(path, views); });
    CHECK(WeightFile::open(path).tensors().size() == (done ? 2 : 1));
    CHECK(std::distance(std::filesystem::directory_iterator(std::filesystem::path(path).parent_path()), {}) == 1);
  };
}

void save_arrays(const std::string& path, const std::vector<NamedView>& arrays) {
  save_npz(path, arrays);
}

}  // namespace

TEST_CASE("out of memory: a layer as a family stores it, and its check") {
  const AttentionWeights layer = small_layer();
  for (const char* family : {"linear4", "qkv", "falcon", "flax"}) {
    CAPTURE(family);
    const auto store = [&](Fault& fault) {
      fault([&] { store_layer(layer, {.family = family, .dtype = DType::f16}); });
    };
    CHECK(fail_each_allocation(store) > 20);
  }
  CHECK(fail_each_allocation([&](Fault& fault) { fault([&] { stored_check_for(layer); }); }) > 5);
  CHECK(fail_each_allocation([&](Fault& fault) { fault([] { list_families(); }); }) > 20);
}

TEST_CASE("out of memory: a layer with settings and a check is loaded") {
  const TemporaryFolder folder;
  const std::string path = folder.file("t.safetensors");
  const StoredLayer stored = store_layer(small_layer(), {});
  std::vector<NamedView> views;
  for (const auto& [name, tensor] : stored.tensors) views.push_back({name, tensor});
  save_safetensors(path, views, stored.metadata);
  CHECK(fail_each_allocation([&](Fault& fault) { fault([&] { load_attention(path); }); }) > 50);
  const WeightFile file = WeightFile::open(path);
  const AttentionWeights layer = small_layer();
  CHECK(fail_each_allocation([&](Fault& fault) { fault([&] { check_stored(file, stored.prefix, layer); }); }) > 5);
}

TEST_CASE("out of memory: a name map is read, or refused") {
  const TemporaryFolder folder;
  const StoredLayer stored = store_layer(small_layer(), {.matrices = {"q_proj.weight", "o_proj.weight"}});
  std::vector<NamedView> views;
  for (const auto& [name, tensor] : stored.tensors) views.push_back({name, tensor});
  save_safetensors(folder.file("t.safetensors"), views);
  const std::string names = R"({"query_weight": "q_proj.weight", "key_weight": "k_proj.weight",
                               "value_weight": "v_proj.weight", "output_weight": "o_proj.weight")";
  LoadOptions options;
  options.num_heads = 4;
  const auto load = [&](const std::string& map, std::optional<ErrorCode> refusal) {
    options.name_map = folder.write("map.json", map);
    const std::string path = folder.file("t.safetensors");
    CHECK(fail_each_allocation([&](Fault& fault) { fault([&] { load_attention(path, options); }, refusal); }) > 20);
  };
  load(names + "}", std::nullopt);
  load(names + R"(, "rows": [[1, 2], {"rows": [3]}]})", ErrorCode::bad_file);
}

TEST_CASE("out of memory: .safetensors and .npz files; what was there stays") {
  const TemporaryFolder folder;
  const std::map<std::string, std::string> metadata{{"a key of metadata", "a value of metadata"}};
  const auto save = [&](const std::string& path, const std::vector<NamedView>& views) {
    save_safetensors(path, views, metadata);
  };
  CHECK(fail_each_allocation(replacing(folder.file("t.safetensors"), save)) > 10);
  const TemporaryFolder other;
  CHECK(fail_each_allocation(replacing(other.file("t.npz"), save_arrays)) > 10);
}

TEST_CASE("out of memory: .npz files are read") {
  const TemporaryFolder folder;
  const std::string path = folder.file("t.npz");
  save_npz(path, {{first, counting({3})}, {second, counting({4})}});
  CHECK(fail_each_allocation([&](Fault& fault) { fault([&] { load_npz(path); }); }) > 10);
}

TEST_CASE("out of memory: in libzip, while .npz files are written and read") {
  if (!counts_allocations) return;  // a sanitizer's malloc does not fail
  const TemporaryFolder folder;
  const std::string path = folder.file("t.npz");
  CHECK(fail_each_of_libzip(replacing(path, save_arrays)) > 10);
  CHECK(fail_each_of_libzip([&](Fault& fault) { fault([&] { load_npz(path); }); }) > 10);
}

TEST_CASE("out of memory: arrays of a caller's streams") {
  const Tensor tensor = counting({3, 4});
  std::string bytes;
  const auto keep = [&](const void* from, std::size_t count) { bytes.append(static_cast<const char*>(from), count); };
  write_npy(keep, tensor);
  const auto drop = [](const void*, std::size_t) {};
  CHECK(fail_each_allocation([&](Fault& fault) { fault([&] { write_npy(drop, tensor); }); }) > 0);
  const auto read = [&](Fault& fault) {
    std::size_t at = 0;
    const ByteReader take = [&](void* to, std::size_t count) {
      const std::size_t got = bytes.copy(static_cast<char*>(to), count, at);
      at += got;
      return got;
    };
    fault([&] { read_npy(take, first); });
  };
  CHECK(fail_each_allocation(read) > 1);
}
