// What convert does before anything is written: layers of one file become the tensors of another.
#pragma once

#include <headwise/headwise.hpp>
#include <map>
#include <string>
#include <vector>

#include "layer_options.hpp"

namespace headwise::tools {

struct ConvertOptions : LayerChoice {
  std::string output;
  bool one_layer = false;  // --layer was given
  bool force = false;
  std::string family;  // "": that of each layer
  std::string prefix;  // "": that of each layer; {layer} in it becomes the layer's index
  bool has_prefix = false;
  DType dtype = DType::f32;
  std::map<std::string, std::string> metadata;  // to add

  bool to_npz() const { return output.ends_with(".npz"); }
};

// What rounding to another type did to values.
struct Rounding {
  std::int64_t overflowed = 0;   // finite ones that became infinite
  std::int64_t underflowed = 0;  // others than zero that became zero
};

struct ConvertedLayer {
  AttentionLayer from;
  AttentionWeights weights;  // as it is in the new file: rounded
  StoredLayer stored;
  Rounding rounding;
};

struct Conversion {
  std::vector<ConvertedLayer> layers;
  std::map<std::string, std::string> metadata;
  std::int64_t left_out = 0;  // tensors that belong to no layer that was converted

  std::vector<NamedView> views() const;
  Rounding rounding() const;
};

// Throws UsageError when two layers would get the same names, and for what the new file cannot hold.
Conversion convert_layers(const ConvertOptions& options, const Console& console);

// Loads each layer from the file that was written, as its user will, and compares its bits and its settings. Throws
// CommandError, which calls the file by `path`.
void check_written(const Conversion& conversion, const WeightFile& file, const std::string& path);

}  // namespace headwise::tools
