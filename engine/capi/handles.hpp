// What is behind the opaque types of C.
#pragma once

#include <atomic>
#include <optional>
#include <utility>

#include "config.hpp"
#include "headwise/headwise.h"
#include "headwise/headwise.hpp"

struct headwise_tensor {
  headwise::Tensor tensor;
};

// Opened by the caller, or lent to a check of his.
struct headwise_file {
  explicit headwise_file(headwise::WeightFile&& opened) : own(std::move(opened)), file(*own) {}
  explicit headwise_file(const headwise::WeightFile& lent) : file(lent) {}
  headwise_file(const headwise_file&) = delete;
  headwise_file& operator=(const headwise_file&) = delete;

  std::optional<headwise::WeightFile> own;
  const headwise::WeightFile& file;
};

struct headwise_layers {
  std::vector<headwise::AttentionLayer> layers;
};

struct headwise_weights {
  headwise::AttentionWeights weights;
  headwise::capi::StoredConfig config{weights.config};
};

struct headwise_stored_layer {
  headwise::StoredLayer layer;
};

// An entry of metadata.
struct headwise_check {
  std::string key, text;
};

struct headwise_model {
  headwise::MultiHeadAttention attention;
  headwise::capi::StoredConfig config{attention.config()};
};

struct headwise_encoder {
  headwise::Encoder encoder;
};

struct headwise_encoder_session {
  headwise::EncoderSession session;
};

struct headwise_tokenizer {
  headwise::Tokenizer tokenizer;
};

struct headwise_encoding {
  headwise::Encoding encoding;
};

struct headwise_sentence {
  headwise::SentenceSettings settings;
};

struct headwise_cache {
  headwise::KvCache cache;
};

struct headwise_session {
  headwise::Session session;
};

struct headwise_cancel_flag {
  std::atomic<bool> set{false};
};

struct headwise_executor {
  std::shared_ptr<headwise::Executor> executor;
};

struct headwise_explanation {
  headwise::Explanation explanation;
  std::string text = explanation.to_string();
};

struct headwise_profile {
  headwise::Profile profile;
  headwise_explanation plan{profile.plan};
};
