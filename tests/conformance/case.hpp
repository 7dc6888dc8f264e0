// One case: a call of headwise in JSON with the tensors it reads, and the tensors it produces.
#pragma once

#include <headwise/headwise.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "safetensors_writer.hpp"

namespace headwise::conformance {

using Json = nlohmann::json;

// The tensors of a file as the other project lays them out. The call sees them through views, so no case copies its
// inputs, and none copies its outputs.
class Case {
 public:
  explicit Case(const std::string& path);

  const WeightFile& file() const { return file_; }
  const Json& call() const { return call_; }
  // A tensor of the file; not given when it has none of this name.
  Tensor stored(const std::string& name) const;
  // The argument that plays this role; not given when the call has none.
  TensorView input(const std::string& role);
  // Memory for the result of this role; not given when the call does not ask for it.
  MutableTensorView output(const std::string& role);
  void add_result(const std::string& name, const Tensor& tensor) { results_.push_back({name, tensor}); }
  // The bytes of a safetensors file with all results.
  std::string results() const { return safetensors_file(results_); }

 private:
  WeightFile file_;
  Json call_;
  std::map<std::string, Tensor> inputs_;
  std::vector<NamedTensor> results_;
};

}  // namespace headwise::conformance
