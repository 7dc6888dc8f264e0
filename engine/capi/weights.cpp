#include <span>

#include "boundary.hpp"
#include "c_views.hpp"
#include "handles.hpp"
#include "headwise/layer_tensors.hpp"
#include "load_options.hpp"
#include "structs.hpp"

using namespace headwise::capi;
using headwise::AttentionWeights;
using headwise::Tensor;

namespace {

static_assert(std::size(headwise::layer_tensors) == HEADWISE_NUM_PARTS);

Tensor AttentionWeights::*member_of(headwise_part part) {
  return element_at("part", std::span(headwise::layer_tensors), part).tensor;
}

// Makes weights by `make` when there is a place for them.
template <class Make>
headwise_status give_weights(headwise_weights** weights, const Make& make) {
  return guard([&] {
    auto& result = deref("weights", weights);
    result = new headwise_weights{make()};
  });
}

}  // namespace

headwise_status headwise_weights_load(const char* path, const headwise_load_options* options,
                                      headwise_weights** weights) {
  return give_weights(weights,
                      [&] { return headwise::load_attention(read_text("path", path), read_load_options(options)); });
}

headwise_status headwise_weights_from_file(const headwise_file* file, const headwise_load_options* options,
                                           headwise_weights** weights) {
  return give_weights(weights,
                      [&] { return headwise::load_attention(deref("file", file).file, read_load_options(options)); });
}

headwise_status headwise_weights_random(const headwise_config* config, uint64_t seed, headwise_weights** weights) {
  return give_weights(weights, [&] { return headwise::random_weights(read_config("config", config), seed); });
}

headwise_status headwise_weights_create(const headwise_config* config, headwise_weights** weights) {
  return give_weights(weights, [&] {
    AttentionWeights result;
    result.config = read_config("config", config);
    return result;
  });
}

headwise_status headwise_weights_set(headwise_weights* weights, headwise_part part, const headwise_view* tensor) {
  return guard([&] {
    AttentionWeights& w = deref("weights", weights).weights;
    const auto member = member_of(part);
    const headwise::TensorView view = read_view("tensor", tensor);
    w.*member = view.given ? headwise::convert(view, view.dtype) : Tensor();
  });
}

headwise_status headwise_weights_get(const headwise_weights* weights, headwise_part part, headwise_view* tensor) {
  return guard([&] {
    const AttentionWeights& w = deref("weights", weights).weights;
    deref("tensor", tensor) = c_view((w.*member_of(part)).view());
  });
}

headwise_status headwise_weights_config(const headwise_weights* weights, headwise_config* config) {
  return guard([&] { write_struct("config", config, deref("weights", weights).config.get()); });
}

headwise_status headwise_keep_heads(const headwise_weights* weights, const int64_t* heads, int64_t count,
                                    headwise_weights** kept) {
  return give_weights(kept, [&] {
    const headwise::AttentionWeights& whole = deref("weights", weights).weights;
    if (count > whole.config.num_heads) refuse("count", "is above the number of heads");
    const auto list = read_list("heads", heads, count);
    return headwise::keep_heads(whole, {list.begin(), list.end()});
  });
}

void headwise_weights_free(headwise_weights* weights) {
  delete weights;
}
