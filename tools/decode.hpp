// A batch of sequences through a key/value cache, token by token, as decoding does.
#pragma once

#include <headwise/headwise.hpp>

#include "result_options.hpp"

namespace headwise::tools {

// Throws UsageError naming the first option that has no meaning when one token comes after the other.
void check_decoding(const LayerOptions& options);
void check_decoding(const ResultOptions& options);  // the results too: only --output is offered
// Throws UsageError unless the tokens of a query fit a cache.
void check_room(const CacheOptions& options, std::int64_t length);

// Token t of a call whose key and value are its query, as a call of its own.
AttentionInputs token_inputs(const AttentionInputs& inputs, std::int64_t t);

class Decoder {
 public:
  // `inputs` of a whole call: key and value are the query.
  Decoder(const AttentionConfig& config, const CacheOptions& options, const AttentionInputs& inputs);

  // From an empty cache to the last token; output has the shape of the query but for its width.
  void run(Session& session, const MutableTensorView& output);
  // The plan of the last token, with the cache that it finds.
  Explanation explain_last(Session& session, const MutableTensorView& output);

  std::int64_t length() const { return inputs_.query.shape[1]; }
  std::int64_t batch() const { return inputs_.query.shape[0]; }
  std::size_t cache_bytes() const;

 private:
  AttentionInputs cached_token(std::int64_t t);
  void run_tokens(Session& session, const MutableTensorView& output, std::int64_t count);

  AttentionInputs inputs_;
  KvCache cache_;
};

}  // namespace headwise::tools
