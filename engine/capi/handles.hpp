// What is behind the opaque types of C.
#pragma once

#include <atomic>

#include "config.hpp"
#include "headwise/headwise.h"
#include "headwise/headwise.hpp"

struct headwise_tensor {
  headwise::Tensor tensor;
};

struct headwise_file {
  headwise::WeightFile file;
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
