// The arguments of a call.
#pragma once

#include "headwise/attention.hpp"
#include "headwise/c/session.h"

namespace headwise::capi {

AttentionInputs read_inputs(const headwise_inputs* inputs);
AttentionOutputs read_outputs(const headwise_outputs* outputs);

}  // namespace headwise::capi
