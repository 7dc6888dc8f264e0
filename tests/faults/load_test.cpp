// Every allocation of loading a layer fails once, for files of every kind.
#include "each_failure.hpp"
#include "expect_error.hpp"
#include "headwise/weights.hpp"
#include "safetensors_writer.hpp"
#include "temporary_folder.hpp"

using namespace headwise;

namespace {

const std::string data_folder = HEADWISE_TEST_DATA;

std::vector<AttentionLayer> layers_of(const std::string& path) {
  return find_attention_layers(WeightFile::open(path));
}

LoadOptions options_for(const AttentionLayer& layer) {
  LoadOptions options;
  options.num_heads = 2;
  options.prefix = layer.prefix;
  options.family = layer.family.empty() ? layer.candidates.front() : layer.family;
  return options;
}

void check_layers(const std::string& path) {
  for (const AttentionLayer& layer : layers_of(path)) {
    CAPTURE(path);
    CAPTURE(layer.prefix);
    const LoadOptions options = options_for(layer);
    const auto load = [&](Fault& fault) { fault([&] { load_attention(path, options); }); };
    CHECK(fail_each_allocation(load) > 50);
  }
}

}  // namespace

TEST_CASE("out of memory: layers of every family and type") {
  for (const char* name : {"/families.safetensors", "/extras.safetensors"}) check_layers(data_folder + name);
}

TEST_CASE("out of memory: a model folder with config.json, and a pruned layer") {
  LoadOptions options;
  options.keep_heads = {1};
  const std::string path = data_folder + "/tiny_bert/model.safetensors";
  const auto load = [&](Fault& fault) { fault([&] { load_attention(path, options); }); };
  CHECK(fail_each_allocation(load) > 50);
}

TEST_CASE("out of memory: an open file, its lists and its tensors are usable again") {
  const std::string path = data_folder + "/families.safetensors";
  const auto use = [&](Fault& fault) {
    const WeightFile file = WeightFile::open(path);
    const std::size_t layers = find_attention_layers(file).size();
    fault([&] {
      find_attention_layers(file);
      for (const TensorInfo& info : file.tensors()) file.read(info.name);
    });
    CHECK(find_attention_layers(file).size() == layers);
    CHECK(file.read("packed.out_proj.weight").data()[15] == 63.0F / 8);
  };
  CHECK(fail_each_allocation(use) > 50);
}

TEST_CASE("out of memory: what is refused is refused, or memory ran out while saying so") {
  const TemporaryFolder folder;
  const std::string missing = folder.file("missing.safetensors");
  const std::string broken = folder.write("broken.safetensors", safetensors_bytes("{\"a\":", ""));
  const std::string other = folder.write("other.safetensors", safetensors_bytes("{}", ""));
  const std::pair<std::string, ErrorCode> refusals[] = {
      {missing, ErrorCode::io}, {broken, ErrorCode::bad_file}, {other, ErrorCode::bad_file}};
  for (const auto& [path, code] : refusals) {
    CAPTURE(path);
    CHECK(fail_each_allocation([&](Fault& fault) { fault([&] { load_attention(path); }, code); }) > 0);
  }
}

TEST_CASE("out of memory: .npy files, read and written; a file that was there stays") {
  const TemporaryFolder folder;
  Tensor tensor(DType::f32, {3, 2});
  tensor.data()[5] = 7;
  const std::string path = folder.file("x.npy");
  save_npy(path, tensor);
  const auto turned = TensorView(tensor.view().data, DType::f32, {2, 3}, {1, 2});
  const auto write = [&](Fault& fault) {
    save_npy(path, tensor);
    const Tensor expected = load_npy(path);
    if (!fault([&] { save_npy(path, turned); })) CHECK(load_npy(path).shape() == tensor.shape());
  };
  CHECK(fail_each_allocation(write) > 3);
  CHECK(fail_each_allocation([&](Fault& fault) { fault([&] { load_npy(path); }); }) > 2);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}
