// What `headwise inspect` found in a weight file, and how it is told.
#pragma once

#include <headwise/headwise.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "summary.hpp"

namespace headwise::tools {

// What loading a layer gives with nothing but the file and config.json, or why it does not load.
struct Loading {
  std::optional<AttentionWeights> weights;  // without its matrices
  std::string refusal;
  bool checked = false;  // it passed the check that the file keeps beside it
};

struct Inspection {
  std::string path;
  std::string format;
  std::vector<TensorInfo> tensors;
  std::vector<std::optional<NonFinite>> nonfinite;  // one a tensor; nothing where it was not or cannot be counted
  std::vector<AttentionLayer> layers;
  std::map<std::int64_t, Loading> loadings;        // by the index of the layer; none where it was not tried
  std::optional<std::int64_t> heads;               // of all layers, from config.json
  std::map<std::int64_t, std::string> heads_from;  // who says how many a layer has, by its index
  bool scanned = true;
};

std::string inspection_text(const Inspection& inspection);
std::string inspection_json(const Inspection& inspection);

// The table of layouts.
std::string families_text();
std::string families_json();

// The same for a .npy file.
std::string array_text(const std::string& path, const Tensor& tensor);
std::string array_json(const std::string& path, const Tensor& tensor, bool with_values);

}  // namespace headwise::tools
