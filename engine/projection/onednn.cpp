#include "onednn.hpp"

#include "headwise/error.hpp"
#include "linear.hpp"

namespace headwise::projection {

const dnnl::engine& cpu_engine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

dnnl::matmul::primitive_desc describe_matmul(const MatmulDescs& descs) {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  if (descs.accumulate) {
    dnnl::post_ops operations;
    operations.append_sum(1.0F);
    attributes.set_post_ops(operations);
  }
#if DNNL_VERSION_MAJOR >= 3
  return {cpu_engine(), descs.source, descs.weights, descs.destination, attributes};
#else
  return {dnnl::matmul::desc(descs.source, descs.weights, descs.destination), attributes, cpu_engine()};
#endif
}

dnnl::memory::desc dense_matrix(std::int64_t rows, std::int64_t columns) {
  return {{rows, columns}, dnnl::memory::data_type::f32, dnnl::memory::dims{columns, 1}};
}

std::string onednn_version() {
  try {
    const dnnl_version_t& v = *dnnl_version();
    return std::to_string(v.major) + "." + std::to_string(v.minor) + "." + std::to_string(v.patch);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported) throw;
    return "none";
  }
}

}  // namespace headwise::projection
