#include "encoder_model.hpp"
#include "encoder_weights.hpp"
#include "float_mode.hpp"
#include "out_of_memory.hpp"
#include "text.hpp"
#include "view_checks.hpp"

namespace headwise {

Encoder::Encoder(std::shared_ptr<const Model> model) noexcept : model_(std::move(model)) {}

Encoder Encoder::load(const std::string& folder, const EncoderOptions& options) try {
  const FloatMode mode;
  return Encoder(encoder::load_model(folder, options));
} catch (const std::bad_alloc&) {
  throw_out_of_memory([&] { return in_quotes(folder) + ": no memory to load an encoder"; });
}

const EncoderConfig& Encoder::config() const noexcept {
  return model_->config;
}

const MultiHeadAttention& Encoder::attention(std::int64_t layer) const try {
  const std::int64_t count = config().num_layers;
  if (layer < 0 || layer >= count) {
    refuse("layer", "is " + std::to_string(layer) + "; expected 0 to " + std::to_string(count - 1));
  }
  return model_->layers[static_cast<std::size_t>(layer)].attention;
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory to refuse a layer");
}

const char* Encoder::isa() const noexcept {
  return model_->kernels->isa;
}

}  // namespace headwise
