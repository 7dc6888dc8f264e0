// Model folders with random weights, and calls on them.
#pragma once

#include <cstring>

#include "headwise/headwise.hpp"
#include "random.hpp"
#include "safetensors_writer.hpp"
#include "temporary_folder.hpp"

struct ModelSizes {
  std::int64_t width = 64, heads = 4, inner = 300, layers = 3, words = 50, positions = 300;
};

// A BERT model; tests change config and tensors before they write it.
class ModelFolder {
 public:
  explicit ModelFolder(const ModelSizes& sizes = {}, std::uint64_t seed = 1) : sizes_(sizes), random_(seed) {
    const std::int64_t d = sizes.width;
    config = "{\"model_type\":\"bert\",\"hidden_size\":" + std::to_string(d) +
             ",\"num_hidden_layers\":" + std::to_string(sizes.layers) +
             ",\"num_attention_heads\":" + std::to_string(sizes.heads) +
             ",\"intermediate_size\":" + std::to_string(sizes.inner) + "}";
    add("embeddings.word_embeddings.weight", {sizes.words, d}, 1);
    add("embeddings.position_embeddings.weight", {sizes.positions, d}, 0.5F);
    add("embeddings.token_type_embeddings.weight", {2, d}, 0.5F);
    add_pair("embeddings.LayerNorm", {d}, 1);
    for (std::int64_t i = 0; i < sizes.layers; ++i) add_layer("encoder.layer." + std::to_string(i) + ".");
  }

  headwise::Tensor& tensor(const std::string& name) {
    for (NamedTensor& named : tensors) {
      if (named.name == name) return named.tensor;
    }
    throw std::runtime_error("no tensor " + name);
  }

  std::string write() const {
    folder_.write("config.json", config);
    folder_.write("model.safetensors", safetensors_file(tensors));
    return folder_.path().string();
  }
  headwise::Encoder load(const std::string& isa = "") const { return headwise::Encoder::load(write(), {.isa = isa}); }
  const TemporaryFolder& folder() const { return folder_; }

  std::string config;
  std::vector<NamedTensor> tensors;

 private:
  void add(const std::string& name, const headwise::Dims& shape, float bound) {
    headwise::Tensor tensor(shape);
    random_.fill(tensor.data(), tensor.size(), -bound, bound);
    tensors.push_back({name, std::move(tensor)});
  }
  void add_pair(const std::string& name, const headwise::Dims& shape, float bound) {
    add(name + ".weight", shape, bound);
    add(name + ".bias", {shape[0]}, 0.2F);
  }
  void add_layer(const std::string& start) {
    const std::int64_t d = sizes_.width;
    for (const char* part : {"self.query", "self.key", "self.value", "output.dense"}) {
      add_pair(start + "attention." + part, {d, d}, 0.25F);
    }
    add_pair(start + "attention.output.LayerNorm", {d}, 1);
    add_pair(start + "intermediate.dense", {sizes_.inner, d}, 0.2F);
    add_pair(start + "output.dense", {d, sizes_.inner}, 0.2F);
    add_pair(start + "output.LayerNorm", {d}, 1);
  }

  ModelSizes sizes_;
  Random random_;
  TemporaryFolder folder_;
};

// A ragged batch of random tokens.
struct Tokens {
  headwise::Tensor ids, starts, types;
  std::int64_t longest = 0;

  Tokens(const std::vector<std::int64_t>& lengths, std::int64_t words, std::uint64_t seed = 2)
      : starts(headwise::DType::i64, {static_cast<std::int64_t>(lengths.size()) + 1}) {
    std::int64_t* start = starts.data<std::int64_t>();
    for (std::size_t b = 0; b < lengths.size(); ++b) {
      start[b + 1] = start[b] + lengths[b];
      longest = std::max(longest, lengths[b]);
    }
    ids = headwise::Tensor(headwise::DType::i64, {start[lengths.size()]});
    types = headwise::Tensor(headwise::DType::i64, ids.shape());
    Random random(seed);
    for (std::int64_t i = 0; i < ids.size(); ++i) {
      ids.data<std::int64_t>()[i] = random.below(words);
      types.data<std::int64_t>()[i] = random.below(2);
    }
  }
  std::int64_t batch() const { return starts.size() - 1; }
  headwise::EncoderInputs inputs() const {
    headwise::EncoderInputs result;
    result.token_ids = ids.view();
    result.cumulative_lengths = starts.view();
    result.token_types = types.view();
    return result;
  }
};

// Every output of a call, filled with a number that no call writes.
struct EncoderResults {
  headwise::Tensor hidden, states, attention, embedding;

  EncoderResults(const headwise::EncoderConfig& c, const Tokens& tokens)
      : hidden({tokens.ids.size(), c.model_dim}),
        states({c.num_layers + 1, tokens.ids.size(), c.model_dim}),
        attention({c.num_layers, tokens.batch(), c.num_heads, tokens.longest, tokens.longest}),
        embedding({tokens.batch(), c.model_dim}) {
    for (headwise::Tensor* tensor : {&hidden, &states, &attention, &embedding}) {
      std::fill_n(tensor->data(), tensor->size(), unwritten);
    }
  }
  headwise::EncoderOutputs outputs() {
    headwise::EncoderOutputs result;
    result.hidden = hidden.mutable_view();
    result.hidden_states = states.mutable_view();
    result.attention = attention.mutable_view();
    result.embedding = embedding.mutable_view();
    return result;
  }
  static constexpr float unwritten = -12345;
};

inline bool equal_bits(const headwise::Tensor& a, const headwise::Tensor& b) {
  return a.shape() == b.shape() &&
         std::memcmp(a.view().data, b.view().data, sizeof(float) * std::size_t(a.size())) == 0;
}
inline bool equal_bits(const EncoderResults& a, const EncoderResults& b) {
  return equal_bits(a.hidden, b.hidden) && equal_bits(a.states, b.states) && equal_bits(a.attention, b.attention) &&
         equal_bits(a.embedding, b.embedding);
}

inline EncoderResults run(const headwise::Encoder& encoder, const Tokens& tokens,
                          const headwise::SessionOptions& options = {}) {
  EncoderResults results(encoder.config(), tokens);
  headwise::EncoderSession(encoder, options).run(tokens.inputs(), results.outputs());
  return results;
}
