#include "readings.hpp"

#include "headwise/files.hpp"
#include "headwise/tokenizer.hpp"
#include "headwise/weights.hpp"
#include "stored_layer.hpp"
#include "temporary_folder.hpp"

using namespace headwise;

namespace {

constexpr auto small_tokenizer =
    R"({"normalizer": {"type": "BertNormalizer"}, "pre_tokenizer": {"type": "BertPreTokenizer"},
    "model": {"type": "WordPiece", "unk_token": "[UNK]", "vocab": {"[UNK]": 0, "a": 1}}})";

std::string bytes_of(const Tensor& tensor) {
  const std::size_t count = static_cast<std::size_t>(tensor.size()) * dtype_size(tensor.dtype());
  return std::string(static_cast<const char*>(tensor.view().data), count);
}

std::string read_tensors(const std::string& path) {
  const WeightFile file = WeightFile::open(path);
  std::string bytes;
  for (const TensorInfo& info : file.tensors()) bytes += info.name + bytes_of(file.read(info.name));
  return bytes;
}

std::string read_layer(const std::string& path) {
  const AttentionWeights weights = load_attention(path);
  std::string bytes = std::to_string(weights.config.num_heads);
  for (const Tensor* tensor : {&weights.query_weight, &weights.value_weight, &weights.output_weight}) {
    bytes += bytes_of(*tensor);
  }
  return bytes;
}

std::string read_npy(const std::string& path) {
  return bytes_of(load_npy(path));
}

std::string read_config(const std::string& path) {
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  return std::to_string(heads_from_config(folder + "any.safetensors").value_or(0));
}

std::string read_tokenizer(const std::string& path) {
  const Tokenizer tokenizer = Tokenizer::load(path);
  return tokenizer.token(0) + std::to_string(tokenizer.encode("a b").ids.size());
}

void fill(const TemporaryFolder& folder) {
  const AttentionWeights layer = square_layer();
  const std::string file = safetensors_file(four_linears(layer, "a.", {"w_q", "w_k", "w_v", "w_o"}));
  folder.write("tensors.safetensors", file);
  folder.write("layer.safetensors", file);
  folder.write("config.json", "{\"num_attention_heads\": 3}");
  folder.write("shard", file);
  folder.write("model.safetensors.index.json", "{\"weight_map\": {\"a.w_q.weight\": \"shard\"}}");
  folder.write("tokenizer.json", small_tokenizer);
  folder.write("vocab.txt", "[UNK]\n[CLS]\n[SEP]\na\n");
  save_npy(folder.file("array.npy"), layer.query_weight);
  save_npz(folder.file("arrays.npz"), {{"a", layer.query_weight}, {"b", layer.key_bias}});
}

}  // namespace

const std::vector<Reading>& readings() {
  static const std::vector<Reading> all{{"tensors.safetensors", read_tensors},
                                        {"layer.safetensors", read_layer},
                                        {"model.safetensors.index.json", read_tensors},
                                        {"arrays.npz", read_tensors},
                                        {"array.npy", read_npy},
                                        {"config.json", read_config},
                                        {"tokenizer.json", read_tokenizer},
                                        {"vocab.txt", read_tokenizer}};
  return all;
}

const std::string& good_folder() {
  static const TemporaryFolder folder;
  static const std::string path = [] {
    fill(folder);
    return folder.path().string() + "/";
  }();
  return path;
}
