#include "case.hpp"

namespace headwise::conformance {
namespace {

DType dtype_named(const std::string& name) {
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i64, DType::i32, DType::boolean}) {
    if (name == safetensors_type(dtype)) return dtype;
  }
  throw Error(ErrorCode::bad_file, "unknown type " + name);
}

Dims dims(const Json& values) {
  const auto numbers = values.get<std::vector<std::int64_t>>();
  return {numbers.data(), numbers.size()};
}

// The stored tensor as the call sees it.
template <class View>
View seen(View stored, const Json& entry) {
  return {stored.data, stored.dtype, dims(entry.at("shape")), dims(entry.at("strides"))};
}

}  // namespace

Case::Case(const std::string& path) : file_(WeightFile::open(path)), call_(Json::parse(file_.metadata().at("call"))) {}

Tensor Case::stored(const std::string& name) const {
  return file_.find(name) == nullptr ? Tensor() : file_.read(name);
}

TensorView Case::input(const std::string& role) {
  const Json& entries = call_.at("inputs");
  if (!entries.contains(role)) return {};
  Tensor& tensor = inputs_[role] = file_.read(entries.at(role).at("tensor"));
  return seen(tensor.view(), entries.at(role));
}

MutableTensorView Case::output(const std::string& role) {
  const Json& entries = call_.at("outputs");
  if (!entries.contains(role)) return {};
  const Json& entry = entries.at(role);
  add_result(role, Tensor(dtype_named(entry.at("dtype")), dims(entry.at("stored_shape"))));
  return seen(results_.back().tensor.mutable_view(), entry);
}

}  // namespace headwise::conformance
