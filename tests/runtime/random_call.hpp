// A random call without projections: shapes, layouts, masks of every form, outputs in odd places.
#pragma once

#include <string>

#include "float64_attention.hpp"
#include "strided_tensor.hpp"

struct RandomCall {
  headwise::AttentionConfig config;
  headwise::SessionOptions options;
  std::int64_t batch = 0, queries = 0, keys = 0;
  StridedTensor query, key, value, attention_mask, key_padding, key_lengths;
  StridedTensor output, attention, average;
  headwise::AttentionInputs inputs;
  headwise::AttentionOutputs outputs;

  std::string to_string() const;
  void clear_outputs();  // fills their memory with a mark
  // Takes the elements of an output out of its memory; false when anything but the mark is left between them.
  static bool take_elements(StridedTensor& tensor, std::vector<float>& elements);
};

// The same call for the same seed and number on every machine.
RandomCall make_random_call(std::uint64_t seed, std::int64_t number);
