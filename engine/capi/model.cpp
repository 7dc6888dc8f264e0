#include "boundary.hpp"
#include "handles.hpp"
#include "structs.hpp"

using namespace headwise::capi;
using headwise::MultiHeadAttention;

namespace {

headwise::ModelOptions read_model_options(const headwise_model_options* options) {
  const auto c = read_options(options);
  return {read_optional_text(c.isa), read_flag("self_attention_only", c.self_attention_only),
          read_flag("head_contribution", c.head_contribution), read_allocator(c.allocator)};
}

}  // namespace

headwise_status headwise_model_create(const headwise_weights* weights, const headwise_model_options* options,
                                      headwise_model** model) {
  return guard([&] {
    auto& result = deref("model", model);
    result = new headwise_model{MultiHeadAttention(deref("weights", weights).weights, read_model_options(options))};
  });
}

headwise_status headwise_model_without_projections(const headwise_weights* weights,
                                                   const headwise_model_options* options, headwise_model** model) {
  return guard([&] {
    auto& result = deref("model", model);
    result = new headwise_model{
        MultiHeadAttention::without_projections(deref("weights", weights).weights, read_model_options(options))};
  });
}

headwise_status headwise_model_share(const headwise_model* model, headwise_model** shared) {
  return guard([&] {
    auto& result = deref("shared", shared);
    result = new headwise_model{deref("model", model).attention};
  });
}

void headwise_model_free(headwise_model* model) {
  delete model;
}

headwise_status headwise_model_config(const headwise_model* model, headwise_config* config) {
  return guard([&] { write_struct("config", config, deref("model", model).config.get()); });
}

headwise_status headwise_model_isa(const headwise_model* model, const char** isa) {
  return guard([&] { deref("isa", isa) = deref("model", model).attention.isa(); });
}
