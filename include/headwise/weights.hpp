// Weight files and the one canonical form that every layout is brought to.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "headwise/positions.hpp"
#include "headwise/tensor.hpp"

namespace headwise {

// What a query row without a single live key becomes. In a layer with sinks such a row gives all its weight to the
// sink: zeros, whatever is asked for here.
enum class RowsWithoutKeys {
  zero,         // a zero row, zero weights (ONNX errata 1.23, SDPA, FlashAttention)
  mean,         // the mean of all values, equal weights: what filling masked scores with −1e9 gives
  nan,          // NaN, as a softmax over nothing but −inf gives
  unspecified,  // zero; in LoadOptions as the layer was stored, else zero
};

// The sizes of one multi-head attention layer. Zero means "derive": num_kv_heads = num_heads,
// head_dim = model_dim / num_heads, value_dim = head_dim, key_input_dim = value_input_dim = output_dim = model_dim;
// model_dim itself becomes num_heads · head_dim when only head_dim is given.
struct AttentionConfig {
  std::int64_t model_dim = 0;  // width of the query input
  std::int64_t num_heads = 0;
  std::int64_t num_kv_heads = 0;     // query heads h share key/value head h / (num_heads / num_kv_heads)
  std::int64_t head_dim = 0;         // size of a head of query and key
  std::int64_t value_dim = 0;        // size of a head of value
  std::int64_t key_input_dim = 0;    // width of the key input ("kdim")
  std::int64_t value_input_dim = 0;  // width of the value input ("vdim")
  std::int64_t output_dim = 0;
  std::optional<float> scale{};  // default 1/√head_dim (Vaswani et al. 2017, section 3.2.1)
  RowsWithoutKeys rows_without_keys = RowsWithoutKeys::zero;
  float softcap = 0;                // scores become softcap · tanh(score / softcap) after the scale; 0: they stay
  bool add_zero_attention = false;  // one more key and value of zeros that every query sees (torch add_zero_attn)
  RotaryConfig rotary{};            // turns queries and keys
  PositionBiasConfig position_bias{};
  float norm_epsilon = 1e-6F;  // of query_norm and key_norm
};

// Fills every zero of a config, its scale, and rows_without_keys. Throws Error(invalid_argument) naming the sizes that
// do not fit.
HEADWISE_API AttentionConfig resolve(const AttentionConfig& config);

// Canonical weights: f32 (or f16 or bf16, widened when a model is made), contiguous, [out, in] (y = x·Wᵀ + b); head h
// owns the rows h·size … (h+1)·size−1 of the query, key and value matrices. A bias that is not given counts as zero.
struct AttentionWeights {
  AttentionConfig config{};
  Tensor query_weight{}, key_weight{}, value_weight{}, output_weight{};
  Tensor query_bias{}, key_bias{}, value_bias{}, output_bias{};
  // Optional parts of a layer, each f32; not given means that the layer has none.
  Tensor query_norm{}, key_norm{};  // [head_dim]: x · w / √(mean(x²) + norm_epsilon) of each head, before rotation
  Tensor sinks{};                   // [H]: a logit per head that takes probability but has no value
  Tensor bias_key{},
      bias_value{};        // [Hkv·head_dim], [Hkv·value_dim]: one more key that every query sees (bias_k, bias_v)
  Tensor relative_bias{};  // [buckets, H] of PositionBias::t5
  Tensor alibi_slopes{};   // [H]: instead of the slopes that position_bias gives; a pruned layer needs its old ones
};

// The layer without the heads that are not listed; key/value heads that no query head uses any more go too. Heads keep
// their order, sizes and scale, and their ALiBi slopes. Throws Error(invalid_argument) for a head that is not there or
// listed twice, for an empty list, for tensors whose shape does not fit the config, and when the heads that stay do not
// share the key/value heads evenly.
HEADWISE_API AttentionWeights keep_heads(const AttentionWeights& weights, const std::vector<std::int64_t>& heads);

// Weights drawn from U(−1/√in, 1/√in), biases included; the same numbers for the same seed on every machine.
HEADWISE_API AttentionWeights random_weights(const AttentionConfig& config, std::uint64_t seed);

struct TensorInfo {
  std::string name;
  // As safetensors spells it, whatever the format: "F32", "BF16", "F8_E4M3", …; "unsupported" for an array of a .npz
  // file that safetensors has no type for.
  std::string dtype;
  std::vector<std::uint64_t> shape;  // an empty tensor may have any size beside its zero, up to 2^64 − 1
  // Bytes, relative to the data section; counted on from tensor to tensor through shards and the arrays of a .npz file.
  std::uint64_t begin = 0, end = 0;
  std::string file{};  // the shard that holds it, a name in the index's folder; empty when the opened file does
};

struct OpenOptions {
  // Accept bytes after the last tensor of a safetensors file, as some published ones have. All else stays strict.
  bool allow_trailing_bytes = false;
  // Called while data is read, with bytes done and bytes in all, from the calling thread.
  std::function<void(std::uint64_t, std::uint64_t)> progress{};
};

// The named tensors of a weight file, validated in full before anything in it is believed: names, types, sizes and
// where the data lies. Data is read into owned memory, never mapped. Immutable after opening; read() may be called from
// several threads (those of one .npz file take turns). It opens
// - a .safetensors file;
// - a shard index (….index.json): each name of its weight_map must be in the shard that it names. Shards are plain file
//   names in the index's folder; a symbolic link there is followed, as download caches make them. All tensors of the
//   shards are listed, also those that the index forgot; a name in two shards is refused. metadata.total_size is not
//   believed, the shards' headers tell the sizes. At most 64 MiB and 1,000 shards, which stay open;
// - an .npz file as numpy's savez and savez_compressed write it: entry "x.npy" is tensor "x". Anything else in it, two
//   entries of one name, encryption, and sizes that deflate cannot have are refused; at most 65,536 entries;
// - a folder with either model.safetensors or model.safetensors.index.json.
// The ending of the name decides, then the first bytes.
class HEADWISE_API WeightFile {
 public:
  // Throws Error(io) when a file can't be read, Error(bad_file) with the rule it breaks.
  static WeightFile open(const std::string& path, const OpenOptions& options = {});
  WeightFile(WeightFile&&) noexcept;
  WeightFile& operator=(WeightFile&&) noexcept;
  ~WeightFile();

  const std::string& path() const noexcept;                 // of the file that was opened in a folder
  const char* format() const noexcept;                      // "safetensors", "safetensors index" or "npz"
  const std::vector<TensorInfo>& tensors() const noexcept;  // in byte order, shard by shard
  // Of all shards; where they differ, that of the first one by name.
  const std::map<std::string, std::string>& metadata() const noexcept;
  const TensorInfo* find(const std::string& name) const noexcept;  // nullptr when absent
  // Throws Error(invalid_argument) for an unknown name, Error(unsupported) for a type without a DType or too high a
  // rank, Error(io) when the file has shrunk since it was opened, Error(bad_file) when the data of an .npz file does
  // not decompress to what was announced.
  Tensor read(const std::string& name) const;
  // The same with a progress callback of its own.
  Tensor read(const std::string& name, const std::function<void(std::uint64_t, std::uint64_t)>& progress) const;

 private:
  struct HEADWISE_LOCAL State;
  explicit WeightFile(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

// One attention layer that was recognised in a file.
struct AttentionLayer {
  std::int64_t index = 0;  // position in the file's own order of layers
  std::string family{};    // as list_families() names it; "map" for a layer of LoadOptions::name_map; "" when open
  std::string prefix{};    // what stands before the family's own names, "encoder.layer.0.attention."
  // With family "": the families that store a layer under these names and shapes, each in its own order of rows.
  std::vector<std::string> candidates{};
  struct Part {
    std::string role;    // "query_weight", "qkv_weight", "output_bias", "sinks", …
    std::string tensor;  // its name in the file
    std::vector<std::uint64_t> shape;
  };
  std::vector<Part> parts{};
  // What the shapes tell, whatever the layout; all 0 when they do not fit each other or the family is open.
  struct Widths {
    std::uint64_t model = 0, query = 0, key = 0, value = 0, output = 0;  // query, key, value: of all heads together
    std::uint64_t num_heads = 0;  // as stored (Keras, settings), else of the map, else of config.json; 0: none tells it
  };
  Widths widths{};
};

// Every layer that a known family explains. Layers are ordered by the numbers in their names, then by name.
HEADWISE_API std::vector<AttentionLayer> find_attention_layers(const WeightFile& file);
struct LoadOptions;
// The layers among which these options choose: LoadOptions::layer is the index of one of them. config.json decides
// between families where names and shapes leave it open. Throws what load_attention throws when there is none.
HEADWISE_API std::vector<AttentionLayer> find_attention_layers(const WeightFile& file, const LoadOptions& options);
// num_attention_heads (or n_heads, n_head, num_heads) from config.json beside the weight file, if both are there.
// Models of several parts may have other numbers for some of their layers: AttentionLayer::Widths tells them. Throws
// Error(bad_file) when the file is there but is no JSON object or the value is no positive integer.
HEADWISE_API std::optional<std::int64_t> heads_from_config(const std::string& weight_file);

// When the check that a file keeps beside a layer (see weight_layouts.hpp) is made.
enum class StoredCheck {
  when_present,
  required,  // a layer without one is refused
  off,
};

struct LoadOptions {
  std::int64_t layer = 0;      // AttentionLayer::index after prefix and family have filtered the layers
  std::int64_t num_heads = 0;  // 0: as stored (Keras, settings), else the map, else config.json, by part of the model
  std::string prefix{};        // only layers whose prefix is this
  std::string family{};        // only layers of this family
  // Path of a JSON file that says which tensor is which matrix, for files whose names no family explains; the format
  // is in docs/weights.md. With it neither prefix nor family may be given.
  std::string name_map{};
  StoredCheck stored_check = StoredCheck::when_present;
  bool allow_missing_bias = false;  // a layer with only some of its biases: take the missing ones as zero
  // Take what is not given here from the settings that store_layer() has put into the file's metadata, if there are any
  // for this layer, else from config.json beside the file: num_heads, scale, softcap, rotary, position_bias,
  // norm_epsilon, norm_plus_one; from the settings alone rows_without_keys and add_zero_attention. A model whose
  // positions headwise does not know is refused unless rotary is given. Windows of single layers are masks of a call
  // and stay with the caller.
  bool use_model_config = true;
  std::optional<float> scale{};  // else 1 for T5, 1/√head_dim for others
  RowsWithoutKeys rows_without_keys = RowsWithoutKeys::unspecified;
  std::optional<float> softcap{};  // else none
  bool add_zero_attention = false;
  std::optional<RotaryConfig> rotary{};               // else none; dim 0: none whatever config.json says
  std::optional<PositionBiasConfig> position_bias{};  // else that of T5 for its layers, none for others
  std::optional<float> norm_epsilon{};                // else 1e-6
  std::optional<bool> norm_plus_one{};                // query_norm and key_norm are stored less one (Gemma); else false
  std::vector<std::int64_t> keep_heads{};             // only these heads, see keep_heads(); empty: all
  OpenOptions open{};
};

// Loads one layer into the canonical form. num_kv_heads follows from the shapes. Errors name the tensor, what was
// expected and what was found; a name that is missing is listed together with its nearest matches.
// options.open.progress counts the bytes of the whole layer.
HEADWISE_API AttentionWeights load_attention(const std::string& path, const LoadOptions& options = {});
HEADWISE_API AttentionWeights load_attention(const WeightFile& file, const LoadOptions& options = {});

}  // namespace headwise
