#include "boundary.hpp"
#include "c_views.hpp"
#include "call_arguments.hpp"
#include "handles.hpp"
#include "load_options.hpp"
#include "structs.hpp"

using namespace headwise::capi;
using headwise::Encoder;

namespace {

headwise::EncoderOptions read_encoder_options(const headwise_encoder_options* options) {
  const auto c = read_options(options);
  return {read_optional_text(c.isa), read_allocator(c.allocator), read_flag("head_contribution", c.head_contribution),
          read_open_options(c.open)};
}

headwise::EncoderInputs read_encoder_inputs(const headwise_encoder_inputs* inputs) {
  const auto c = read_struct("inputs", inputs);
  return {read_view("token_ids", c.token_ids), read_view("cumulative_lengths", c.cumulative_lengths),
          read_view("token_types", c.token_types), c.cancel == nullptr ? nullptr : &c.cancel->set};
}

headwise::EncoderOutputs read_encoder_outputs(const headwise_encoder_outputs* outputs) {
  const auto c = read_struct("outputs", outputs);
  headwise::EncoderOutputs result;
  result.hidden = read_view("hidden", c.hidden);
  result.hidden_states = read_view("hidden_states", c.hidden_states);
  result.attention = read_view("attention", c.attention);
  result.embedding = read_view("embedding", c.embedding);
  result.pooling = read_enum("pooling", c.pooling, headwise::Pooling::max);
  result.normalize = read_flag("normalize", c.normalize);
  return result;
}

}  // namespace

headwise_status headwise_encoder_load(const char* folder, const headwise_encoder_options* options,
                                      headwise_encoder** encoder) {
  return guard([&] {
    auto& result = deref("encoder", encoder);
    result = new headwise_encoder{Encoder::load(read_text("folder", folder), read_encoder_options(options))};
  });
}

headwise_status headwise_encoder_share(const headwise_encoder* encoder, headwise_encoder** shared) {
  return guard([&] {
    auto& result = deref("shared", shared);
    result = new headwise_encoder{deref("encoder", encoder).encoder};
  });
}

void headwise_encoder_free(headwise_encoder* encoder) {
  delete encoder;
}

headwise_status headwise_encoder_get_config(const headwise_encoder* encoder, headwise_encoder_config* config) {
  return guard([&] {
    const headwise::EncoderConfig& c = deref("encoder", encoder).encoder.config();
    write_struct<headwise_encoder_config>(
        "config", config,
        {0, c.family.c_str(), c.num_layers, c.model_dim, c.num_heads, c.hidden_dim, c.vocabulary_size, c.max_positions,
         c.num_token_types, c.first_position, c.max_length(), c.layer_norm_epsilon,
         static_cast<headwise_activation>(c.activation)});
  });
}

headwise_status headwise_encoder_isa(const headwise_encoder* encoder, const char** isa) {
  return guard([&] { deref("isa", isa) = deref("encoder", encoder).encoder.isa(); });
}

headwise_status headwise_encoder_attention(const headwise_encoder* encoder, int64_t layer, headwise_model** model) {
  return guard([&] {
    auto& result = deref("model", model);
    result = new headwise_model{deref("encoder", encoder).encoder.attention(layer)};
  });
}

headwise_status headwise_encoder_session_create(const headwise_encoder* encoder,
                                                const headwise_session_options* options,
                                                headwise_encoder_session** session) {
  return guard([&] {
    auto& result = deref("session", session);
    result = new headwise_encoder_session{
        headwise::EncoderSession(deref("encoder", encoder).encoder, read_session_options(options))};
  });
}

void headwise_encoder_session_free(headwise_encoder_session* session) {
  delete session;
}

headwise_status headwise_encoder_session_threads(const headwise_encoder_session* session, int32_t* threads) {
  return guard([&] { deref("threads", threads) = deref("session", session).session.threads(); });
}

headwise_status headwise_encoder_session_run(headwise_encoder_session* session, const headwise_encoder_inputs* inputs,
                                             const headwise_encoder_outputs* outputs) {
  return guard(
      [&] { deref("session", session).session.run(read_encoder_inputs(inputs), read_encoder_outputs(outputs)); });
}

headwise_status headwise_encoder_session_explain(const headwise_encoder_session* session,
                                                 const headwise_encoder_inputs* inputs,
                                                 const headwise_encoder_outputs* outputs,
                                                 headwise_explanation** explanation) {
  return guard([&] {
    auto& result = deref("explanation", explanation);
    const headwise::EncoderSession& s = deref("session", session).session;
    result = new headwise_explanation{s.explain(read_encoder_inputs(inputs), read_encoder_outputs(outputs))};
  });
}
