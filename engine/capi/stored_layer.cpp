#include <iterator>

#include "boundary.hpp"
#include "c_views.hpp"
#include "handles.hpp"
#include "structs.hpp"

using namespace headwise::capi;

namespace {

headwise::LayerStorage read_storage(const headwise_storage* storage) {
  const auto c = storage == nullptr ? headwise_storage{} : read_struct("storage", storage);
  headwise::LayerStorage result;
  if (c.family != nullptr) result.family = c.family;
  for (const char* matrix : read_list("matrices", c.matrices, c.num_matrices)) {
    result.matrices.push_back(read_text("a name of matrices", matrix));
  }
  result.prefix = read_optional_text(c.prefix);
  result.dtype = read_dtype("storage", c.dtype);
  return result;
}

}  // namespace

headwise_status headwise_store_layer(const headwise_weights* weights, const headwise_storage* storage,
                                     headwise_stored_layer** stored) {
  return guard([&] {
    auto& result = deref("stored", stored);
    const headwise::AttentionWeights& w = deref("weights", weights).weights;
    result = new headwise_stored_layer{headwise::store_layer(w, read_storage(storage))};
  });
}

void headwise_stored_layer_free(headwise_stored_layer* stored) {
  delete stored;
}

headwise_status headwise_stored_layer_get(const headwise_stored_layer* stored, headwise_stored_layer_info* info) {
  return guard([&] {
    const headwise::StoredLayer& layer = deref("stored", stored).layer;
    write_struct<headwise_stored_layer_info>(
        "info", info,
        {0, layer.family.c_str(), layer.prefix.c_str(), count_of(layer.tensors), count_of(layer.metadata)});
  });
}

headwise_status headwise_stored_layer_tensor(const headwise_stored_layer* stored, int64_t index,
                                             headwise_named_view* tensor) {
  return guard([&] {
    const auto& tensors = deref("stored", stored).layer.tensors;
    check_range("index", index, count_of(tensors));
    const auto& [name, found] = *std::next(tensors.begin(), index);
    deref("tensor", tensor) = {name.c_str(), c_view(found.view())};
  });
}

headwise_status headwise_stored_layer_metadata(const headwise_stored_layer* stored, int64_t index, const char** key,
                                               const char** value) {
  return guard([&] { give_entry(deref("stored", stored).layer.metadata, index, key, value); });
}
