// A call as explain and profile make it: of files, or of sizes where there are none.
#pragma once

#include <headwise/headwise.hpp>
#include <optional>

#include "address_space.hpp"
#include "layer_results.hpp"

namespace headwise::tools {

struct SizedOptions : ResultOptions {
  AttentionConfig sizes;                               // of a layer of random weights, without a FILE
  std::int64_t batch = 1, length = 0, key_length = 0;  // of a call without --query; 0: the default
};

// FILE, sizes and all options of a call. The caller keeps `options` alive until the command line is parsed.
void add_call(CLI::App& app, SizedOptions& options);
// Throws UsageError for options that do not go together.
void check_call(const CLI::App& app, const SizedOptions& options);

// Owns everything that the arguments point to. With a cache the call is the last token of the query, or one that the
// cache has just room for.
struct SizedCall {
  LoadedLayer loaded;
  LayerInputs inputs;    // zeros where neither a file nor a list was given
  LayerResults results;  // empty in a call that is not run
  std::optional<MultiHeadAttention> attention;
  std::optional<KvCache> cache;
  std::int64_t cached_tokens = 0;  // before the query

  // Results of a call that is only planned have addresses and no memory.
  enum class Purpose { run, plan };
  // What was not given stands there as a tensor of the right shape, for a caller to fill.
  SizedCall(const SizedOptions& options, Purpose purpose, const Console& console);
  SizedCall(const SizedCall&) = delete;
  SizedCall& operator=(const SizedCall&) = delete;

  AttentionInputs arguments(const SizedOptions& options);
  AttentionOutputs outputs(const SizedOptions& options);

 private:
  void fill_inputs(const SizedOptions& options);
  void fill_cache(const SizedOptions& options);
  std::vector<ResultForm> forms(const SizedOptions& options);

  Purpose purpose_;
  AddressSpace addresses_;
};

}  // namespace headwise::tools
