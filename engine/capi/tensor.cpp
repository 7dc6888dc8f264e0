#include "boundary.hpp"
#include "c_views.hpp"
#include "handles.hpp"
#include "structs.hpp"

using namespace headwise::capi;

size_t headwise_dtype_size(headwise_dtype dtype) {
  return dtype < HEADWISE_F32 || dtype > HEADWISE_BOOL ? 0 : headwise::dtype_size(static_cast<headwise::DType>(dtype));
}

const char* headwise_dtype_name(headwise_dtype dtype) {
  if (dtype < HEADWISE_F32 || dtype > HEADWISE_BOOL) return "unknown";
  return headwise::dtype_name(static_cast<headwise::DType>(dtype));
}

headwise_status headwise_tensor_create(headwise_dtype dtype, int32_t rank, const int64_t* shape,
                                       headwise_tensor** tensor) {
  return guard([&] {
    auto& result = deref("tensor", tensor);
    const headwise::Dims sizes = read_shape("shape", rank, shape);
    result = new headwise_tensor{headwise::Tensor(read_dtype("tensor", dtype), sizes)};
  });
}

void headwise_tensor_free(headwise_tensor* tensor) {
  delete tensor;
}

headwise_status headwise_tensor_view(const headwise_tensor* tensor, headwise_view* view) {
  return guard([&] { deref("view", view) = c_view(deref("tensor", tensor).tensor.view()); });
}

headwise_status headwise_tensor_mutable_view(headwise_tensor* tensor, headwise_mutable_view* view) {
  return guard([&] { deref("view", view) = c_view(deref("tensor", tensor).tensor.mutable_view()); });
}

headwise_status headwise_load_npy(const char* path, headwise_tensor** tensor) {
  return guard([&] {
    auto& result = deref("tensor", tensor);
    result = new headwise_tensor{headwise::load_npy(read_text("path", path))};
  });
}

headwise_status headwise_save_npy(const char* path, const headwise_view* tensor) {
  return guard([&] { headwise::save_npy(read_text("path", path), read_view("tensor", &deref("tensor", tensor))); });
}

headwise_status headwise_convert(const headwise_view* from, headwise_dtype dtype, headwise_tensor** tensor) {
  return guard([&] {
    auto& result = deref("tensor", tensor);
    const headwise::TensorView view = read_view("from", &deref("from", from));
    result = new headwise_tensor{headwise::convert(view, read_dtype("the result", dtype))};
  });
}
