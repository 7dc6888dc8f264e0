// Whose fault it is when a layer, its files and its caller do not fit each other.
#include "expect_error.hpp"
#include "headwise/weights.hpp"
#include "round_trip.hpp"

using namespace headwise;

namespace {

const std::string prefix = "model.layers.0.self_attn.";

// Width 12: four heads of 3, two of them for keys.
AttentionWeights grouped(std::int64_t head_dim = 8) {
  AttentionConfig config;
  config.model_dim = 12;
  config.num_heads = 4;
  config.num_kv_heads = 2;
  config.head_dim = head_dim;
  AttentionWeights layer = random_weights(config, 41);
  layer.query_bias = layer.key_bias = layer.value_bias = layer.output_bias = Tensor();
  return layer;
}

std::vector<NamedTensor> tensors_of(const AttentionWeights& layer) {
  return four_linears(layer, prefix, {"q_proj", "k_proj", "v_proj", "o_proj"});
}

std::vector<NamedTensor> with_norms() {
  std::vector<NamedTensor> tensors = tensors_of(grouped());
  for (const char* name : {"q_norm.weight", "k_norm.weight"}) tensors.push_back({prefix + name, Tensor({8})});
  return tensors;
}

// A model folder; without a config.json where the text is empty.
class Model {
 public:
  Model(const std::string& config, const std::vector<NamedTensor>& tensors)
      : path_(folder_.write("m.safetensors", safetensors_file(tensors))) {
    if (!config.empty()) folder_.write("config.json", config);
  }
  // With the settings and the check that store_layer() writes.
  explicit Model(const AttentionWeights& layer) : path_(folder_.file("m.safetensors")) { store(layer, "", ""); }
  Model(const AttentionWeights& layer, const std::string& from, const std::string& to)
      : path_(folder_.file("m.safetensors")) {
    store(layer, from, to);
  }

  const std::string& path() const { return path_; }
  void accepts(const LoadOptions& options = {}) const { CHECK_NOTHROW(load_attention(path_, options)); }
  // The file itself or what stands beside it, which the words name.
  void is_blamed(const std::vector<std::string>& words, const LoadOptions& options = {}) const {
    expect_error(ErrorCode::bad_file, words, [&] { load_attention(path_, options); });
  }
  void blames_caller(const std::vector<std::string>& words, const LoadOptions& options) const {
    expect_error(ErrorCode::invalid_argument, words, [&] { load_attention(path_, options); });
  }

 private:
  void store(const AttentionWeights& layer, const std::string& from, const std::string& to) {
    StoredLayer stored = store_layer(layer, {.family = "linear4", .prefix = "a"});
    std::string& settings = stored.metadata.at("headwise.settings:a.");
    if (!from.empty()) settings.replace(settings.find(from), from.size(), to);
    save_safetensors(path_, views_of(stored), stored.metadata);
  }

  TemporaryFolder folder_;
  std::string path_;
};

LoadOptions heads(std::int64_t count) {
  LoadOptions options;
  options.num_heads = count;
  return options;
}

std::string config_of(int num_heads, const std::string& more = "") {
  return "{\"model_type\": \"llama\", \"num_attention_heads\": " + std::to_string(num_heads) + more + "}";
}

}  // namespace

TEST_CASE("heads that do not divide the width: of config.json, of settings, of a map, of the caller") {
  const Model config(config_of(5), tensors_of(grouped()));
  config.is_blamed({"config.json'", "not divisible by 5 heads"});
  config.accepts(heads(4));
  config.blames_caller({"not divisible by 3 heads", "num_heads was given as 3"}, heads(3));
  const Model bare("", tensors_of(grouped()));
  bare.blames_caller({"not divisible by 3 heads"}, heads(3));
  const Model stored(square_layer(), "\"num_heads\":3", "\"num_heads\":4");
  stored.is_blamed({"stored settings", "not divisible by 4 heads"});
  stored.accepts(heads(3));
}

TEST_CASE("heads that contradict a tensor: the caller's are the caller's fault, others are told with their source") {
  const Model right(config_of(4), with_norms());
  right.accepts();
  for (const int count : {1, 2, 8, 32}) {
    CAPTURE(count);
    right.blames_caller({"num_heads was given as " + std::to_string(count)}, heads(count));
    const Model wrong(config_of(count), with_norms());
    wrong.is_blamed({"m.safetensors'", "expected", "num_heads is " + std::to_string(count) + " in config.json"});
    wrong.accepts(heads(4));
  }
  const Model bare("", with_norms());
  bare.is_blamed({"q_norm", "expected shape [4]", "num_heads was given as 8"}, heads(8));
}

TEST_CASE("a tensor of a wrong shape is the file's fault whatever the caller gives") {
  std::vector<NamedTensor> tensors = tensors_of(grouped());
  tensors[1].tensor = Tensor({15, 12});
  LoadOptions given = heads(4);
  given.scale = 2.0F;
  for (const Model& model : {Model(config_of(4), tensors), Model("", tensors)}) {
    model.is_blamed({"k_proj", "found shape [15, 12]"}, given);
  }
}

TEST_CASE("numbers of config.json are told in its words; the caller's own come first") {
  const std::string trained = R"("original_max_position_embeddings": 64, "factor": 2)";
  const std::pair<const char*, std::string> cases[] = {
      {"factor is 0.5", R"("rope_scaling": {"type": "linear", "factor": 0.5})"},
      {"beta_fast is 0.5", R"("rope_scaling": {"type": "yarn", "beta_fast": 0.5, )" + trained + "}"},
      {"high_freq_factor is 1",
       R"("rope_scaling": {"type": "llama3", "low_freq_factor": 4, "high_freq_factor": 1, )" + trained + "}"},
      {"attention_factor is out of the range",
       R"("rope_scaling": {"type": "yarn", "attention_factor": 1e39, )" + trained + "}"},
      {"rope_theta is 0.5", R"("rope_theta": 0.5)"}};
  for (const auto& [word, entries] : cases) {
    CAPTURE(entries);
    const Model model(config_of(4, ", " + entries), tensors_of(grouped()));
    LoadOptions given;
    model.is_blamed({"config.json'", word});
    given.scale = 2.0F;
    model.is_blamed({"config.json'", word}, given);
    given.rotary = RotaryConfig{2};
    model.accepts(given);
    given.rotary->base = 0.25;
    model.blames_caller({"rotary.base is 0.25"}, given);
  }
}

TEST_CASE("heads of the caller that leave no room for the positions of sound files") {
  const Model config(config_of(4, ", \"rope_theta\": 1e4, \"rotary_dim\": 8"), tensors_of(grouped()));
  config.accepts();
  config.blames_caller({"rotary embedding of 8", "num_heads was given as 16"}, heads(16));
  AttentionWeights layer = grouped();
  layer.config.rotary = RotaryConfig{8};
  const Model stored(layer);
  stored.accepts();
  stored.blames_caller({"rotary.dim is 8", "num_heads was given as 16"}, heads(16));
  stored.is_blamed({"stored check"}, [] {
    LoadOptions all_else;
    all_else.use_model_config = false;
    all_else.num_heads = 8;
    return all_else;
  }());
}

TEST_CASE("other heads than those that a file's check was made for are the caller's fault") {
  const Model stored(square_layer());
  stored.accepts(heads(3));
  stored.blames_caller({"stored check", "3 heads", "num_heads was given as 2"}, heads(2));
}

TEST_CASE(
    "settings of a bias whose table is not there are damaged; so asked for by the caller it is the caller's fault") {
  AttentionWeights layer = square_layer();
  layer.config.position_bias.kind = PositionBias::alibi;
  const Model stored(layer, "\"position_bias\":\"alibi\"", "\"position_bias\":\"t5\"");
  stored.is_blamed({"stored settings", "\"position_bias\" is t5"});
  LoadOptions given;
  given.position_bias = PositionBiasConfig{PositionBias::t5};
  Model(square_layer()).blames_caller({"position_bias is t5"}, given);
}

TEST_CASE("a number of heads in a map is the map's fault, by its name") {
  const TemporaryFolder folder;
  LoadOptions given;
  const std::string names = R"("query_weight": "a.w_q.weight", "key_weight": "a.w_k.weight",
      "value_weight": "a.w_v.weight", "output_weight": "a.w_o.weight", "num_heads": )";
  const Model model("", four_linears(square_layer(), "a.", {"w_q", "w_k", "w_v", "w_o"}));
  given.name_map = folder.write("map.json", "{" + names + "4}");
  model.is_blamed({"map.json'", "num_heads is 4", "not divisible"}, given);
  given.num_heads = 5;
  model.blames_caller({"not divisible by 5", "num_heads was given as 5"}, given);
  given.num_heads = 3;
  given.allow_missing_bias = true;
  model.accepts(given);
}

TEST_CASE("a family that is given and a shape that contradicts it are named both") {
  const Model model("", torch_packed(square_layer(), ""));
  LoadOptions given = heads(3);
  given.family = "torch_mha";
  model.accepts(given);
  std::vector<NamedTensor> tensors = torch_packed(square_layer(), "");
  tensors[0].tensor = Tensor({17, 6});
  Model("", tensors).is_blamed({"found shape [17, 6]", "family was given as 'torch_mha'"}, given);
}

TEST_CASE("Falcon's number of key heads is held against the shapes in its new form") {
  const auto falcon = [](const std::string& more) {
    return "{\"model_type\": \"falcon\", \"num_attention_heads\": 4, " + more + "}";
  };
  const std::string right = R"("new_decoder_architecture": true, "num_kv_heads": 2)";
  Model(falcon(right), tensors_of(grouped())).accepts();
  Model(falcon(R"("new_decoder_architecture": true, "num_kv_heads": 4)"), tensors_of(grouped()))
      .is_blamed({"config.json'", "num_kv_heads is 4", "make it 2"});
  Model(falcon(R"("multi_query": true, "num_kv_heads": 4)"), tensors_of(grouped())).accepts();
}
