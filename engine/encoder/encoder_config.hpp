// config.json of a model folder: what it says of an encoder, and what it leaves to the tensors.
#pragma once

#include <optional>
#include <string>

#include "encoder_families.hpp"
#include "headwise/encoder.hpp"

namespace headwise::encoder {

struct StatedConfig {
  const Family* family = nullptr;
  EncoderConfig config;  // sizes that are 0 are not stated
  std::optional<std::int64_t> num_token_types;
};

// Throws Error(io) when there is no config.json, Error(bad_file) when it breaks its format, Error(unsupported) when it
// describes a model that headwise does not run.
StatedConfig read_config(const std::string& folder);

}  // namespace headwise::encoder
