#include "decode.hpp"

namespace headwise::tools {
namespace {

// [B, L, width] also for a single sequence.
template <class View>
View with_batch(View view) {
  if (view.shape.rank() == 3) return view;
  return View(view.data, view.dtype, {1, view.shape[0], view.shape[1]});
}

template <class Byte, class View>
View token_of(const View& rows, std::int64_t t) {
  View token = rows;
  token.shape[1] = 1;
  const std::int64_t bytes = rows.strides[1] * static_cast<std::int64_t>(dtype_size(rows.dtype));
  token.data = static_cast<Byte*>(rows.data) + t * bytes;
  return token;
}

KvCacheOptions cache_options(const CacheOptions& options, std::int64_t batch) {
  KvCacheOptions result;
  result.batch = batch;
  result.capacity = options.capacity;
  result.dtype = options.dtype;
  result.circular = options.circular;
  return result;
}

AttentionInputs batched(AttentionInputs inputs) {
  inputs.query = with_batch(inputs.query);
  return inputs;
}

}  // namespace

void check_decoding(const LayerOptions& options) {
  for (const InputFile& file : input_files()) {
    const bool serves = file.id == Input::query || file.id == Input::head_gate || file.id == Input::only_heads;
    if (serves || !options.given(file.id)) continue;
    throw UsageError(file.option() + " has no meaning with --cache-capacity, which feeds the query token by token");
  }
  if (options.alignment == CausalAlignment::unspecified) return;
  throw UsageError("a causal alignment has no meaning with --cache-capacity: each token stands behind the cached ones");
}

void check_decoding(const ResultOptions& options) {
  check_decoding(static_cast<const LayerOptions&>(options));
  for (const OutputFile& file : output_files()) {
    if (file.id == Output::output || !options.wants(file.id)) continue;
    throw UsageError(file.option() + " is not offered with --cache-capacity, only --output is");
  }
}

void check_room(const CacheOptions& options, std::int64_t length) {
  if (length == 0) throw UsageError("the query holds no token to feed through a cache");
  if (options.circular || length <= options.capacity) return;
  throw UsageError("--cache-capacity " + std::to_string(options.capacity) + " is less than the " +
                   std::to_string(length) + " tokens of the query; give that many, or --cache-circular");
}

AttentionInputs token_inputs(const AttentionInputs& inputs, std::int64_t t) {
  AttentionInputs token = inputs;
  token.query = token_of<const char>(with_batch(inputs.query), t);
  token.key = token.value = token.query;
  return token;
}

Decoder::Decoder(const AttentionConfig& config, const CacheOptions& options, const AttentionInputs& inputs)
    : inputs_(batched(inputs)), cache_(config, cache_options(options, inputs_.query.shape[0])) {
  check_room(options, length());
}

AttentionInputs Decoder::cached_token(std::int64_t t) {
  AttentionInputs inputs = token_inputs(inputs_, t);
  inputs.cache = &cache_;
  return inputs;
}

void Decoder::run_tokens(Session& session, const MutableTensorView& output, std::int64_t count) {
  cache_.clear();
  for (std::int64_t t = 0; t < count; ++t) {
    session.run(cached_token(t), {.output = token_of<char>(with_batch(output), t)});
  }
}

void Decoder::run(Session& session, const MutableTensorView& output) {
  run_tokens(session, output, length());
}

Explanation Decoder::explain_last(Session& session, const MutableTensorView& output) {
  const std::int64_t before = std::max<std::int64_t>(length() - 1, 0);
  run_tokens(session, output, before);
  return session.explain(cached_token(before), {.output = token_of<char>(with_batch(output), before)});
}

std::size_t Decoder::cache_bytes() const {
  const auto elements =
      static_cast<std::size_t>(element_count(cache_.keys().shape) + element_count(cache_.values().shape));
  return elements * dtype_size(cache_.dtype());
}

}  // namespace headwise::tools
