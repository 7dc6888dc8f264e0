#include "readings.hpp"

#include "headwise/encoder.hpp"
#include "headwise/files.hpp"
#include "headwise/sentence.hpp"
#include "headwise/tokenizer.hpp"
#include "headwise/weights.hpp"
#include "stored_layer.hpp"

using namespace headwise;

namespace {

constexpr auto small_tokenizer =
    R"({"normalizer": {"type": "BertNormalizer"}, "pre_tokenizer": {"type": "BertPreTokenizer"},
    "model": {"type": "WordPiece", "unk_token": "[UNK]", "vocab": {"[UNK]": 0, "a": 1}}})";

constexpr auto shard_index = R"({"weight_map": {"a.w_q.weight": "shard"}})";

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

std::string parent(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

std::string read_layer_folder(const std::string& path) {
  return read_layer(parent(path));
}

std::string read_layer_list(const std::string& path) {
  std::string text;
  for (const AttentionLayer& layer : find_attention_layers(WeightFile::open(parent(path)), LoadOptions())) {
    text += layer.prefix + layer.family;
  }
  return text;
}

std::string read_npy(const std::string& path) {
  return bytes_of(load_npy(path));
}

std::string read_config(const std::string& path) {
  return std::to_string(heads_from_config(parent(path) + "/any.safetensors").value_or(0));
}

std::string read_tokenizer(const std::string& path) {
  const Tokenizer tokenizer = Tokenizer::load(path);
  return tokenizer.token(0) + std::to_string(tokenizer.encode("a b").ids.size());
}

std::string read_tokenizer_folder(const std::string& path) {
  return read_tokenizer(parent(path)) + std::to_string(Tokenizer::load(parent(path)).max_length());
}

std::string read_encoder(const std::string& path) {
  const Encoder encoder = Encoder::load(parent(path));
  const Tensor ids(DType::i64, {3});
  Tensor embedding({1, encoder.config().model_dim});
  EncoderSession(encoder, {.threads = 1}).run({.token_ids = ids}, {.embedding = embedding.mutable_view()});
  return bytes_of(embedding);
}

std::string read_settings(const std::string& path) {
  const SentenceSettings settings = read_sentence_settings(parent(path));
  return settings.pooling_source + std::to_string(settings.max_length) + settings.prompt;
}

std::string read_pooling(const std::string& path) {
  return read_settings(parent(path));
}

void fill_models(const TemporaryFolder& folder) {
  std::filesystem::copy(HEADWISE_TEST_DATA "/encoders/bert", folder.path() / "encoder");
  for (const char* name : {"fast", "slow", "sentences/1_Pooling"}) {
    std::filesystem::create_directories(folder.path() / name);
  }
  folder.write("fast/tokenizer.json", small_tokenizer);
  folder.write("fast/tokenizer_config.json", R"({"model_max_length": 7})");
  folder.write("fast/special_tokens_map.json", R"({"mask_token": "[MASK]"})");
  folder.write("fast/added_tokens.json", R"({"<new>": 2})");
  folder.write("fast/config.json", R"({"model_type": "bert"})");
  folder.write("slow/vocab.txt", "[UNK]\n[CLS]\n[SEP]\n[MASK]\nb\n");
  folder.write("slow/tokenizer_config.json", R"({"added_tokens_decoder": {"3": {"content": "[MASK]"}}})");
  folder.write("sentences/modules.json", R"([{"type": "models.Pooling", "path": "1_Pooling"}])");
  folder.write("sentences/1_Pooling/config.json", R"({"pooling_mode_cls_token": true})");
  folder.write("sentences/sentence_bert_config.json", R"({"max_seq_length": 9})");
  folder.write("sentences/config_sentence_transformers.json", R"({"prompts": {"q": "Q"}, "default_prompt_name": "q"})");
}

void fill_layers(const TemporaryFolder& folder, const std::string& file) {
  for (const char* name : {"layer", "list", "sharded"}) std::filesystem::create_directory(folder.path() / name);
  for (const std::string name : {"layer/", "list/"}) {
    folder.write(name + "model.safetensors", file);
    folder.write(name + "config.json", "{\"num_attention_heads\": 3}");
  }
  folder.write("sharded/shard", file);
  folder.write("sharded/model.safetensors.index.json", shard_index);
  folder.write("sharded/config.json", "{\"num_attention_heads\": 3}");
}

void fill(const TemporaryFolder& folder) {
  const AttentionWeights layer = square_layer();
  const std::string file = safetensors_file(four_linears(layer, "a.", {"w_q", "w_k", "w_v", "w_o"}));
  folder.write("tensors.safetensors", file);
  folder.write("layer.safetensors", file);
  folder.write("config.json", "{\"num_attention_heads\": 3}");
  folder.write("shard", file);
  folder.write("model.safetensors.index.json", shard_index);
  folder.write("tokenizer.json", small_tokenizer);
  folder.write("vocab.txt", "[UNK]\n[CLS]\n[SEP]\na\n");
  save_npy(folder.file("array.npy"), layer.query_weight);
  save_npz(folder.file("arrays.npz"), {{"a", layer.query_weight}, {"b", layer.key_bias}});
  fill_layers(folder, file);
  fill_models(folder);
}

}  // namespace

const std::vector<Reading>& readings() {
  static const std::vector<Reading> all{{"tensors.safetensors", read_tensors, ".safetensors"},
                                        {"layer.safetensors", read_layer, ".safetensors"},
                                        {"model.safetensors.index.json", read_tensors},
                                        {"arrays.npz", read_tensors},
                                        {"array.npy", read_npy},
                                        {"config.json", read_config, ".json"},
                                        {"layer/config.json", read_layer_folder, ".json"},
                                        {"layer/model.safetensors", read_layer_folder, ".safetensors"},
                                        {"list/config.json", read_layer_list, ".json"},
                                        {"list/model.safetensors", read_layer_list, ".safetensors"},
                                        {"sharded/config.json", read_layer_folder, ".json"},
                                        {"sharded/model.safetensors.index.json", read_layer_folder},
                                        {"tokenizer.json", read_tokenizer},
                                        {"vocab.txt", read_tokenizer, "vocab.txt"},
                                        {"fast/tokenizer.json", read_tokenizer_folder},
                                        {"fast/tokenizer_config.json", read_tokenizer_folder, ".json"},
                                        {"fast/special_tokens_map.json", read_tokenizer_folder, ".json"},
                                        {"fast/added_tokens.json", read_tokenizer_folder, ".json"},
                                        {"fast/config.json", read_tokenizer_folder, ".json"},
                                        {"slow/vocab.txt", read_tokenizer_folder, "vocab.txt"},
                                        {"slow/tokenizer_config.json", read_tokenizer_folder, ".json"},
                                        {"sentences/modules.json", read_settings},
                                        {"sentences/1_Pooling/config.json", read_pooling},
                                        {"sentences/sentence_bert_config.json", read_settings, ".json"},
                                        {"sentences/config_sentence_transformers.json", read_settings, ".json"},
                                        {"encoder/config.json", read_encoder},
                                        {"encoder/model.safetensors", read_encoder}};
  return all;
}

std::string place_in(const TemporaryFolder& folder, const Reading& reading) {
  const std::string model = reading.in_model() ? reading.name.substr(0, reading.name.find('/')) : "";
  const auto everything = std::filesystem::copy_options::recursive;
  if (!model.empty()) std::filesystem::copy(good_folder() + model, folder.path() / model, everything);
  std::filesystem::remove(folder.path() / reading.name);
  return folder.file(reading.name);
}

const std::string& good_folder() {
  static const TemporaryFolder folder;
  static const std::string path = [] {
    fill(folder);
    return folder.path().string() + "/";
  }();
  return path;
}
