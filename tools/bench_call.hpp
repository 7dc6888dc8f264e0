// A case with everything that it needs to run again and again.
#pragma once

#include <deque>
#include <headwise/headwise.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "bench_case.hpp"

namespace headwise::tools {

struct BenchModel {
  MultiHeadAttention attention;
  std::int64_t extra_keys = 0;  // that the layer adds to those of a call
};

// Tensors of a call; views of them are in `inputs` and `outputs`.
struct BenchTensors {
  AttentionInputs inputs;
  AttentionOutputs outputs;
  std::optional<KvCache> cache;
  std::deque<Tensor> kept;  // which never moves what it holds
};

// Values from −1 to 1, the same in every run.
void make_bench_tensors(const BenchCase& what, const BenchModel& model, BenchTensors& tensors);

class BenchCall {
 public:
  BenchCall(const BenchCase& what, const BenchModel& model);
  void run();
  Explanation explain() const { return session_.explain(tensors_.inputs, tensors_.outputs); }

 private:
  Session session_;
  BenchTensors tensors_;
};

// Makes each model once, however many cases share it.
class BenchModels {
 public:
  // `layer` of a weight file, or nullptr; it must stay alive.
  explicit BenchModels(const AttentionWeights* layer) : layer_(layer) {}
  const BenchModel& model(const BenchCase& what);

 private:
  AttentionWeights weights(const BenchCase& what) const;

  const AttentionWeights* layer_;
  std::map<std::string, BenchModel> models_;
};

// Bytes that the tensors and models of these cases take, roughly.
double bench_bytes(const std::vector<BenchCase>& cases, const AttentionWeights* layer);

}  // namespace headwise::tools
