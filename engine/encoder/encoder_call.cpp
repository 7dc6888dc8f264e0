#include "encoder_call.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "numbers.hpp"
#include "request.hpp"
#include "view_checks.hpp"

namespace headwise::encoder {

namespace {

constexpr std::initializer_list<DType> result_types = {DType::f32, DType::f16, DType::bf16};

std::int64_t at(const TensorView& view, std::int64_t i) noexcept {
  return id_at(view, i * view.strides[0]);
}

// Of one axis.
void check_ids(const char* name, const TensorView& view, const char* expected) {
  require_readable(name, view, id_types);
  if (view.shape.rank() != 1) refuse(name, "has shape " + to_string(view.shape) + "; expected " + expected);
}

void check_start(const char* name, std::int64_t start, std::int64_t low, std::int64_t high, std::int64_t b) {
  if (start >= low && start <= high) return;
  refuse(name, "holds " + std::to_string(start) + " at " + std::to_string(b) + "; expected " + std::to_string(low) +
                   (low == high ? "" : " to " + std::to_string(high)));
}

void check_length(const char* name, std::int64_t length, std::int64_t most, std::int64_t b) {
  if (length <= most) return;
  refuse(name, "make sequence " + std::to_string(b) + " " + std::to_string(length) +
                   " tokens long; the model takes at most " + std::to_string(most));
}

void read_lengths(Call& call) {
  const char* name = "cumulative_lengths";
  TensorView& starts = call.inputs.cumulative_lengths;
  const std::int64_t most = call.model->config.max_length();
  if (!starts.given) {
    check_length("token_ids", call.rows, most, 0);
    call.one_sequence[1] = call.rows;
    starts = TensorView(call.one_sequence, DType::i64, {2});
  }
  check_ids(name, starts, "[B + 1]");
  call.batch = starts.shape[0] - 1;
  if (call.batch < 0 || call.batch > runtime::longest_list) {
    refuse(name, "has shape " + to_string(starts.shape) + "; expected [B + 1], B at most " +
                     std::to_string(runtime::longest_list));
  }
  check_start(name, at(starts, 0), 0, 0, 0);
  for (std::int64_t b = 0; b < call.batch; ++b) {
    const std::int64_t begin = at(starts, b), end = at(starts, b + 1);
    check_start(name, end, begin, call.rows, b + 1);
    check_length(name, end - begin, most, b);
    call.longest = std::max(call.longest, end - begin);
  }
  check_start(name, at(starts, call.batch), call.rows, call.rows, call.batch);
}

void check_numbers(const char* name, const TensorView& ids, std::int64_t count) {
  for (std::int64_t i = 0; i < ids.shape[0]; ++i) {
    const std::int64_t id = at(ids, i);
    if (id >= 0 && id < count) continue;
    refuse(name, "holds " + std::to_string(id) + " at " + std::to_string(i) + "; the model knows 0 to " +
                     std::to_string(count - 1));
  }
}

void read_token_types(Call& call) {
  const TensorView& types = call.inputs.token_types;
  if (!types.given) return;
  check_ids("token_types", types, "[rows]");
  require_shape("token_types", types, {call.rows});
  // A model without types was trained on one kind of text.
  check_numbers("token_types", types, std::max<std::int64_t>(call.model->config.num_token_types, 1));
}

void check_result(const char* name, const MutableTensorView& view, const Dims& expected) {
  if (!view.given) return;
  require_readable(name, view, result_types);
  require_shape(name, view, expected);
  require_writable(name, view, result_types);
}

void check_apart(const Call& call) {
  const EncoderOutputs& o = call.outputs;
  const std::pair<const char*, const MutableTensorView*> outputs[] = {{"hidden", &o.hidden},
                                                                      {"hidden_states", &o.hidden_states},
                                                                      {"attention", &o.attention},
                                                                      {"embedding", &o.embedding}};
  const std::pair<const char*, const TensorView*> inputs[] = {{"token_ids", &call.inputs.token_ids},
                                                              {"cumulative_lengths", &call.inputs.cumulative_lengths},
                                                              {"token_types", &call.inputs.token_types}};
  for (const auto* output = outputs; output != std::end(outputs); ++output) {
    if (!output->second->given) continue;
    for (const auto& [name, view] : inputs) {
      if (view->given) require_apart(output->first, *output->second, name, *view);
    }
    for (const auto* before = outputs; before != output; ++before) {
      if (before->second->given) require_apart(output->first, *output->second, before->first, *before->second);
    }
  }
}

void read_outputs(const Call& call) {
  const EncoderOutputs& o = call.outputs;
  const EncoderConfig& c = call.model->config;
  if (!o.hidden.given && !o.hidden_states.given && !o.attention.given && !o.embedding.given) {
    refuse("outputs", "ask for nothing; expected hidden, hidden_states, attention or embedding");
  }
  if (o.pooling != Pooling::mean && o.pooling != Pooling::cls && o.pooling != Pooling::max) {
    refuse("pooling", "is no value of its type: " + std::to_string(static_cast<int>(o.pooling)));
  }
  check_result("hidden", o.hidden, {call.rows, c.model_dim});
  check_result("hidden_states", o.hidden_states, {c.num_layers + 1, call.rows, c.model_dim});
  check_result("attention", o.attention, {c.num_layers, call.batch, c.num_heads, call.longest, call.longest});
  check_result("embedding", o.embedding, {call.batch, c.model_dim});
  check_apart(call);
}

}  // namespace

void read_call(const Encoder::Model& model, const EncoderInputs& inputs, const EncoderOutputs& outputs, Call& call) {
  call.model = &model;
  call.inputs = inputs;
  call.outputs = outputs;
  call.longest = 0;
  check_ids("token_ids", inputs.token_ids, "[rows]");
  call.rows = inputs.token_ids.shape[0];
  read_lengths(call);
  check_numbers("token_ids", inputs.token_ids, model.config.vocabulary_size);
  read_token_types(call);
  read_outputs(call);
}

}  // namespace headwise::encoder
