#include "layer_parts.hpp"

#include <algorithm>

#include "text.hpp"

namespace headwise {
namespace {

[[noreturn]] void refuse(const WeightFile& file, const std::string& problem, ErrorCode code = ErrorCode::bad_file) {
  throw Error(code, in_quotes(file.path()) + ": " + problem);
}

[[noreturn]] void refuse_shape(const WeightFile& file, const AttentionLayer::Part& part, const std::string& expected) {
  refuse(file, "tensor " + in_quotes(part.tensor) + " (" + part.role + "): expected " + expected + ", found shape " +
                   shape_text(part.shape));
}

constexpr std::string_view readable[] = {"F32", "F64", "F16", "BF16"};

void check_part_type(const WeightFile& file, const AttentionLayer::Part& part) {
  const TensorInfo* info = file.find(part.tensor);
  if (std::find(std::begin(readable), std::end(readable), info->dtype) != std::end(readable)) return;
  refuse(file, "tensor " + in_quotes(part.tensor) + ": dtype " + info->dtype + " is none of F32, F64, F16 and BF16",
         ErrorCode::unsupported);
}

// Ranks in which a part may be stored: that of its canonical shape, or with heads as an axis of their own.
bool is_rank_of(const Form& form, const std::string& role, std::size_t rank) {
  const std::size_t canonical = expected_shape({}, role).size();
  const bool may_be_apart = form.heads_apart && (is_matrix(role) || is_head_bias(role));
  return rank == canonical || (may_be_apart && rank == canonical + 1);
}

void check_part_rank(const WeightFile& file, const LaidOutLayer& layer, const AttentionLayer::Part& part) {
  const bool empty = std::find(part.shape.begin(), part.shape.end(), 0u) != part.shape.end();
  if (!empty && is_rank_of(layer.layout().form, part.role, part.shape.size())) return;
  constexpr const char* expected[] = {"one size, not zero", "two sizes, neither zero", "three sizes, none zero"};
  refuse_shape(file, part, expected[expected_shape({}, part.role).size() - 1]);
}

std::uint64_t head_size(std::uint64_t rows, std::uint64_t heads, const AttentionLayer& layer, const char* role) {
  if (rows % heads == 0) return rows / heads;
  throw Error(ErrorCode::invalid_argument, "layer " + in_quotes(layer.prefix) + ": the width " + std::to_string(rows) +
                                               " of " + role + " is not divisible by " + std::to_string(heads) +
                                               " heads");
}

// The part that holds the rows of the keys, alone or with others.
const AttentionLayer::Part& part_with_keys(const AttentionLayer& layer) {
  for (const char* role : {"qkv_weight", "kv_weight"}) {
    if (const auto* part = find_part(layer, role)) return *part;
  }
  return *find_part(layer, "key_weight");
}

// Keys may be of fewer heads than queries where the layout allows it; how many, only their rows say.
std::uint64_t kv_heads(const WeightFile& file, const LaidOutLayer& layer, const LayerSizes& sizes) {
  if (!layer.layout().form.grouped || sizes.key_rows == sizes.query_rows) return sizes.num_heads;
  const std::uint64_t heads = sizes.key_rows / sizes.head_dim;
  if (sizes.key_rows % sizes.head_dim == 0 && heads > 0 && sizes.num_heads % heads == 0) return heads;
  const AttentionLayer::Part& part = part_with_keys(layer);
  LayerSizes all_heads = sizes;
  all_heads.key_rows = all_heads.value_rows = sizes.query_rows;
  const Shape stored = stored_shape(layer.layout().form, part.role, expected_shape(all_heads, part.role),
                                    part.shape.size(), sizes.num_heads);
  refuse_shape(file, part,
               "shape " + shape_text(stored) + ", or with " + std::to_string(sizes.head_dim) +
                   " rows for each of fewer heads that divide the " + std::to_string(sizes.num_heads));
}

void divide_into_heads(const WeightFile& file, const LaidOutLayer& layer, LayerSizes& sizes) {
  sizes.head_dim = head_size(sizes.query_rows, sizes.num_heads, layer, "the query");
  sizes.num_kv_heads = kv_heads(file, layer, sizes);
  sizes.key_rows = sizes.num_kv_heads * sizes.head_dim;
  sizes.value_dim = head_size(sizes.value_rows, sizes.num_kv_heads, layer, "the value");
}

bool is_of_keys(std::string_view role) {
  return role.substr(0, 3) == "key" || role.substr(0, 5) == "value";
}

void check_part_shape(const WeightFile& file, const LaidOutLayer& layer, const AttentionLayer::Part& part,
                      const LayerSizes& sizes) {
  const std::uint64_t heads = is_of_keys(part.role) ? sizes.num_kv_heads : sizes.num_heads;
  const Shape expected =
      stored_shape(layer.layout().form, part.role, expected_shape(sizes, part.role), part.shape.size(), heads);
  if (part.shape != expected) refuse_shape(file, part, "shape " + shape_text(expected));
}

}  // namespace

void check_parts(const WeightFile& file, const LaidOutLayer& layer) {
  for (const AttentionLayer::Part& part : layer.parts) {
    check_part_type(file, part);
    check_part_rank(file, layer, part);
  }
}

LayerSizes check_shapes(const WeightFile& file, const LaidOutLayer& layer, std::int64_t num_heads) {
  LayerSizes sizes = *stated_sizes(layer, layer.layout().form);
  sizes.num_heads = static_cast<std::uint64_t>(num_heads);
  divide_into_heads(file, layer, sizes);
  for (const AttentionLayer::Part& part : layer.parts) check_part_shape(file, layer, part, sizes);
  return sizes;
}

}  // namespace headwise
