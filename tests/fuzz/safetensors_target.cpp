// WeightFile against the strict model: the same files are accepted, with the same tensors, metadata and bytes. What is
// accepted is then searched for layers and loaded, which may refuse but do nothing else.
#include <cstring>

#include "headwise/weights.hpp"
#include "safetensors_model.hpp"
#include "target.hpp"

using namespace headwise;

namespace {

void compare_tensor(const TensorInfo& found, const ModelTensor& expected) {
  require(found.name == expected.name, "tensors are listed in the order of their bytes");
  require(found.dtype == expected.dtype && found.shape == expected.shape, "type and shape of " + found.name);
  require(found.begin == expected.begin && found.end == expected.end, "bytes of " + found.name);
}

// Booleans come back as 0 and 1, all else as it is.
void compare_data(const Tensor& tensor, std::string_view stored) {
  const std::string_view read(static_cast<const char*>(tensor.view().data), stored.size());
  if (tensor.dtype() != DType::boolean) return require(read == stored, "the data is read as it is");
  for (std::size_t i = 0; i < stored.size(); ++i) {
    require((read[i] == 1) == (stored[i] != 0) && (read[i] & ~1) == 0, "booleans are 0 and 1");
  }
}

void compare_file(const WeightFile& file, const ModelFile& model) {
  require(file.metadata() == model.metadata, "metadata");
  require(file.tensors().size() == model.tensors.size(), "number of tensors");
  for (std::size_t i = 0; i < model.tensors.size(); ++i) {
    const ModelTensor& expected = model.tensors[i];
    compare_tensor(file.tensors()[i], expected);
    require(file.find(expected.name) == &file.tensors()[i], "a name finds its tensor");
    accepted([&] {
      const Tensor tensor = file.read(expected.name);
      compare_data(tensor, model.data.substr(expected.begin, expected.end - expected.begin));
    });
  }
}

void load_layers(const WeightFile& file) {
  const auto layers = static_cast<std::int64_t>(find_attention_layers(file).size());
  for (std::int64_t layer = 0; layer < std::min<std::int64_t>(layers, 3); ++layer) {
    for (const std::int64_t heads : {1, 2, 3}) {
      LoadOptions options;
      options.layer = layer;
      options.num_heads = heads;
      options.use_model_config = false;
      accepted([&] { load_attention(file, options); });
    }
  }
}

void check(const std::string& path, std::string_view bytes, bool lenient) {
  const auto model = read_model(bytes, lenient);
  OpenOptions options;
  options.allow_trailing_bytes = lenient;
  const bool opened = accepted([&] {
    const WeightFile file = WeightFile::open(path, options);
    require(model.has_value(), "what the rules refuse is refused");
    compare_file(file, *model);
    load_layers(file);
  });
  require(opened || !model, "what the rules accept is accepted");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  static const InputFolder folder("input.safetensors");
  folder.write(bytes);
  check(folder.input(), bytes, false);
  check(folder.input(), bytes, true);
  return 0;
}
