// Files of named tensors: .npz in and out, safetensors out, and a layer as the tensors of a family. WeightFile in
// weights.hpp reads all of them. Other results are written in the same way by save_bytes.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "headwise/weights.hpp"

namespace headwise {

// All arrays of an .npz file by name, each as load_npy gives it. Throws what WeightFile::open and read throw.
HEADWISE_API std::map<std::string, Tensor> load_npz(const std::string& path);

// A tensor to write; the memory behind the view must stay valid until the writer returns.
struct NamedView {
  std::string name;
  TensorView tensor;  // any type and strides
};

// Looks at a file that is written but has no name yet, opened as WeightFile::open does; what it throws leaves the old
// file as it was, and nothing beside it.
using WrittenCheck = std::function<void(const WeightFile& written)>;

// Writes a safetensors file. Tensors are sorted by the size of their elements, largest first, then by name, so that the
// same tensors give the same bytes in whatever order they come, each starts at a multiple of its element size, and the
// data at one of 64. Booleans become 0 and 1. The file gets its name when it is whole and `check`, where given, has
// returned, so nobody sees half of it. A process that is killed before leaves nothing where the file system has files
// without a name (O_TMPFILE), elsewhere a temporary file in the same folder. The system writes it to the disk in its
// own time (no fsync). Throws Error(invalid_argument) for a name twice, the name "__metadata__", names or metadata that
// are no UTF-8, a header above 100,000,000 bytes; Error(io), also for the check of a pipe or a device; what `check`
// throws.
HEADWISE_API void save_safetensors(const std::string& path, const std::vector<NamedView>& tensors,
                                   const std::map<std::string, std::string>& metadata = {},
                                   const WrittenCheck& check = {});

// Writes an .npz file as numpy.load reads it: tensors in the order of their names, not compressed, the same bytes at
// any time. The archive is made in memory before it is written. bf16 has no .npy type and is refused. Throws as
// save_safetensors does, also for a name with a NUL and for no array at all.
HEADWISE_API void save_npz(const std::string& path, const std::vector<NamedView>& tensors,
                           const WrittenCheck& check = {});

// Writes a file of any bytes as save_safetensors writes its own: it gets its name when it is whole. Throws Error(io).
HEADWISE_API void save_bytes(const std::string& path, std::string_view bytes);

// How a layer is to be stored.
struct LayerStorage {
  // As list_families() names it, or a model_type that one of its rows serves ("llama").
  std::string family = "linear4";
  // Names behind the prefix that a row of the family must have, "q_proj.weight"; of those that do, the one of fewest
  // tensors that can hold the layer is taken.
  std::vector<std::string> matrices{};
  std::string prefix{};      // before the family's own names; a dot is added where neither "." nor "/" ends it
  DType dtype = DType::f32;  // f32, f16, bf16 or f64; rounds to nearest even, what is too large becomes infinite
};

struct StoredLayer {
  std::map<std::string, Tensor> tensors;
  // For save_safetensors: what tensors cannot tell (heads, scale, positions, …), which load_attention takes before
  // config.json, and the check of the layer's numbers (see weight_layouts.hpp).
  std::map<std::string, std::string> metadata;
  std::string family, prefix;  // as they were chosen
};

// The tensors of a layer as a family stores them: load_attention the other way round, with the same bits where dtype is
// f32. If a layer has only some biases, the others are written as zeros; norms are written as they multiply. Throws
// Error(invalid_argument) for a family that is not known or has no place for a part of the layer.
HEADWISE_API StoredLayer store_layer(const AttentionWeights& weights, const LayerStorage& storage);

}  // namespace headwise
