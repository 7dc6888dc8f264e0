// NULL for every other pointer that is needed.
#include "everything.hpp"

using namespace headwise;

namespace {

std::int64_t give_nothing(void*, std::size_t, void*) {
  return 0;
}

}  // namespace

TEST_CASE("C handles: NULL for a struct, a text, a list or a tensor that is needed") {
  const Everything e;
  std::int64_t number = 0;
  double real = 0;
  headwise_mutable_view output{};
  OwnedTensor tensor;
  OwnedFile file;
  OwnedWeights weights;
  OwnedCache cache;
  OwnedCheck check;
  std::int32_t flag = 0;
  auto rotary_inputs = ready<headwise_rotary_inputs>();
  refuse_null("shape", headwise_tensor_create(HEADWISE_F32, 1, nullptr, tensor.to()));
  check_ok(headwise_tensor_create(HEADWISE_F32, 0, nullptr, tensor.to()));
  refuse_null("path", headwise_load_npy(nullptr, tensor.to()));
  refuse_null("path", headwise_save_npy(nullptr, e.call.inputs.query));
  refuse_null("config", headwise_rotary_frequencies(nullptr, 1, &real));
  refuse_null("config", headwise_rotary_magnitude(nullptr, &real));
  refuse_null("inputs", headwise_apply_rotary(nullptr, &output));
  refuse_null("input", headwise_apply_rotary(&rotary_inputs, &output));
  rotary_inputs.input = e.call.inputs.query;
  refuse_null("output", headwise_apply_rotary(&rotary_inputs, nullptr));
  refuse_null("config", headwise_t5_bucket(1, 32, nullptr, &number));
  refuse_null("config", headwise_resolve_config(nullptr));
  refuse_null("path", headwise_file_open(nullptr, nullptr, file.to()));
  refuse_null("name", headwise_file_find(e.file, nullptr, &number));
  refuse_null("prefix", headwise_has_stored_check(e.file, nullptr, &flag));
  refuse_null("prefix", headwise_check_stored(e.file, nullptr, e.weights));
  refuse_null("prefix", headwise_check_create(e.weights, nullptr, check.to()));
  refuse_null("reader", headwise_read_npy(nullptr, nullptr, "x", tensor.to()));
  refuse_null("name", headwise_read_npy(give_nothing, nullptr, nullptr, tensor.to()));
  refuse_null("writer", headwise_write_npy(nullptr, nullptr, e.call.inputs.query));
  refuse_null("path", headwise_save_safetensors(nullptr, nullptr, 0, nullptr, 0, nullptr));
  refuse_null("path", headwise_save_npz(nullptr, nullptr, 0, nullptr));
  refuse_null("path", headwise_save_bytes(nullptr, "x", 1));
  refuse_null("name", headwise_file_read(e.file, nullptr, nullptr, nullptr, tensor.to()));
  refuse_null("weight_file", headwise_heads_from_config(nullptr, &number));
  refuse_null("path", headwise_weights_load(nullptr, nullptr, weights.to()));
  refuse_null("config", headwise_weights_random(nullptr, 1, weights.to()));
  refuse_null("config", headwise_weights_create(nullptr, weights.to()));
  refuse_null("heads", headwise_keep_heads(e.weights, nullptr, 1, weights.to()));
  check_invalid({"heads", "negative"}, headwise_keep_heads(e.weights, &number, -1, weights.to()));
  refuse_null("inputs", headwise_session_run(e.session, nullptr, &e.call.outputs));
  refuse_null("outputs", headwise_session_run(e.session, &e.call.inputs, nullptr));
  refuse_null("inputs", headwise_session_append(e.session, e.cache, nullptr));
  refuse_null("config", headwise_cache_create(nullptr, &e.cache_options, cache.to()));
  refuse_null("options", headwise_cache_create(&e.config, nullptr, cache.to()));
  refuse_null("slices", headwise_merge_partials(nullptr, 1, &output, nullptr));
  check_invalid({"slices", "negative"}, headwise_merge_partials(nullptr, -1, &output, nullptr));
  check_invalid({}, headwise_merge_partials(nullptr, 0, &output, nullptr));
  check_invalid({"key"}, headwise_cache_append(e.cache, nullptr, nullptr, nullptr));
  check_invalid({"cache"}, headwise_scatter_rows(nullptr, nullptr, nullptr, 0));
  CHECK(weights.handle == nullptr);
}
