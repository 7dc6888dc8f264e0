#include <algorithm>

#include "fit_layer.hpp"
#include "float_mode.hpp"
#include "headwise/weight_layouts.hpp"
#include "out_of_memory.hpp"
#include "read_layer.hpp"
#include "text.hpp"

namespace headwise {
namespace {

bool checks_stored(const WeightFile& file, const std::string& prefix, StoredCheck when) {
  return when == StoredCheck::required || (when == StoredCheck::when_present && has_stored_check(file, prefix));
}

void take_slopes(const WeightFile& file, const LayerSettings& settings, AttentionWeights& weights) {
  if (settings.alibi_slopes.empty()) return;
  const auto count = static_cast<std::int64_t>(settings.alibi_slopes.size());
  if (count != weights.config.num_heads) {
    throw Error(ErrorCode::bad_file, in_quotes(file.path()) + ": the stored settings have " + std::to_string(count) +
                                         " ALiBi slopes for " + std::to_string(weights.config.num_heads) + " heads");
  }
  weights.alibi_slopes = Tensor({count});
  std::copy(settings.alibi_slopes.begin(), settings.alibi_slopes.end(), weights.alibi_slopes.data());
}

// They are of the heads that were stored, so other ones are a mistake of the caller who gave them.
void take_stored(const WeightFile& file, const FittedLayer& fitted, const LoadOptions& options,
                 AttentionWeights& weights) try {
  const std::string& prefix = fitted.layer.prefix;
  if (checks_stored(file, prefix, options.stored_check)) check_stored(file, prefix, weights);
  if (fitted.settings && !options.position_bias) take_slopes(file, *fitted.settings, weights);
} catch (const Error& error) {
  const bool others = fitted.settings && options.num_heads > 0 && options.num_heads != fitted.settings->num_heads;
  if (!others || error.code() != ErrorCode::bad_file) throw;
  throw Error(ErrorCode::invalid_argument,
              std::string(error.what()) + " (num_heads was given as " + std::to_string(options.num_heads) + ")");
}

}  // namespace

AttentionWeights load_attention(const std::string& path, const LoadOptions& options) try {
  return load_attention(WeightFile::open(path, options.open), options);
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory to load a layer");
}

AttentionWeights load_attention(const WeightFile& file, const LoadOptions& options) try {
  const FloatMode mode;
  const FittedLayer fitted = fit_layer(file, options);
  AttentionWeights weights = read_layer(file, fitted.layer, fitted.config, fitted.options);
  take_stored(file, fitted, options, weights);
  if (options.keep_heads.empty()) return weights;
  return keep_heads(weights, options.keep_heads);
} catch (const std::bad_alloc&) {
  throw_out_of_memory([&] { return in_quotes(file.path()) + ": no memory to load a layer"; });
}

}  // namespace headwise
