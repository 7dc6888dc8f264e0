// The arguments of a call.
#pragma once

#include "headwise/attention.hpp"
#include "headwise/c/session.h"

namespace headwise::capi {

SessionOptions read_session_options(const headwise_session_options* options);
AttentionInputs read_inputs(const headwise_inputs* inputs);
AttentionOutputs read_outputs(const headwise_outputs* outputs);

}  // namespace headwise::capi
