// A model folder becomes a model.
#pragma once

#include "encoder_model.hpp"

namespace headwise::encoder {

std::shared_ptr<const Encoder::Model> load_model(const std::string& folder, const EncoderOptions& options);

}  // namespace headwise::encoder
