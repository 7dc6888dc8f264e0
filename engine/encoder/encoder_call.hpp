// A call's arguments after they were checked.
#pragma once

#include "encoder_model.hpp"

namespace headwise::encoder {

struct Call {
  const Encoder::Model* model = nullptr;
  EncoderInputs inputs;  // cumulative_lengths is always given
  EncoderOutputs outputs;
  std::int64_t rows = 0, batch = 0, longest = 0;
  std::int64_t one_sequence[2] = {};  // cumulative_lengths of a call that brings none
};

// Throws Error(invalid_argument) naming the argument, what was expected and what was given. Allocates only to say so.
// The call must stay where it is.
void read_call(const Encoder::Model& model, const EncoderInputs& inputs, const EncoderOutputs& outputs, Call& call);

}  // namespace headwise::encoder
