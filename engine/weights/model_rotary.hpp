// Rotary positions and ALiBi as config.json describes them.
#pragma once

#include "config_json.hpp"
#include "model_types.hpp"

namespace headwise {

// dim 0 when the model has none. Throws Error(bad_file) for a value that is wrong or missing, Error(unsupported) for
// positions that headwise does not know: loading without them would give other numbers without a word.
RotaryConfig rotary_of_model(const ConfigJson& config, std::int64_t head_dim);

// ALiBi of a model that has it, in MPT's words where config.json uses them; kind none where they deny it.
PositionBiasConfig alibi_of_model(const ConfigJson& config);

// The row of config.json's model_type; nullptr when it names none that is known.
const ModelType* model_type_of(const ConfigJson& config);

}  // namespace headwise
