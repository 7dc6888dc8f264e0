// What a session keeps between calls.
#pragma once

#include <vector>

#include "last_call.hpp"
#include "runner.hpp"

namespace headwise {

struct Session::State {
  MultiHeadAttention attention;
  runtime::Runner runner;
  std::vector<runtime::Recorder> recorders;  // one a thread once a call was profiled
  runtime::Tables tables;
  runtime::LastCall last;

  State(const MultiHeadAttention& model, const SessionOptions& options);

  const runtime::Plan& plan_for(const AttentionInputs& inputs, const AttentionOutputs& outputs);
  void execute(const runtime::Plan& plan, const std::atomic<bool>* cancel);
  void finish_cache(const runtime::Plan& plan) noexcept;
};

}  // namespace headwise
