// The families of weight files that headwise knows, and the check that a file can keep beside a layer.
#pragma once

#include <string>
#include <vector>

#include "headwise/weights.hpp"

namespace headwise {

// One row of the table of layouts, in words.
struct FamilyRow {
  std::string family;   // what LoadOptions::family takes; a family may have several rows
  std::string models;   // who stores layers so, "bert, roberta, electra"; words of config.json's model_type among them
  std::string tensors;  // the names of its matrices behind the prefix, "self.query, self.key, self.value, output.dense"
  std::string storage;  // how they are stored, "[in, out], query, key and value side by side"
  std::string refusal;  // why a layer of this family is not loaded; "" when it is
};

// In the order in which the loader prefers them.
HEADWISE_API std::vector<FamilyRow> list_families();

// Square matrices load without an error however they are transposed or ordered. So a file can keep sums of what a layer
// computes from fixed inputs: under stored_check_key(prefix) in its metadata, the text that stored_check_for() makes
// from the whole layer, before it is pruned. load_attention() computes them again in double and refuses a layer that
// gives others. They speak of the tensors and of the number of heads, not of scale, positions or soft-cap.
// stored_check_for() and check_stored() throw Error(invalid_argument) for tensors that do not fit the config.
HEADWISE_API std::string stored_check_key(const std::string& prefix);
HEADWISE_API std::string stored_check_for(const AttentionWeights& weights);
// Is there a check for this layer?
HEADWISE_API bool has_stored_check(const WeightFile& file, const std::string& prefix);
// Throws Error(bad_file) when the layer is another one than was checked, or when the text is damaged or there is none.
HEADWISE_API void check_stored(const WeightFile& file, const std::string& prefix, const AttentionWeights& weights);

}  // namespace headwise
