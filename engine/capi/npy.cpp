#include "headwise/npy.hpp"

#include "boundary.hpp"
#include "c_views.hpp"
#include "handles.hpp"
#include "quotes.hpp"
#include "structs.hpp"

using namespace headwise::capi;

namespace {

headwise::ByteReader read_reader(headwise_byte_reader reader, void* user, const std::string& name) {
  deref("reader", reader);
  return [=](void* to, std::size_t count) {
    const int64_t got = reader(to, count, user);
    if (got < 0) refuse_failure("the reader of " + headwise::in_quotes(name), got);
    return static_cast<std::size_t>(got);
  };
}

headwise::ByteWriter read_writer(headwise_byte_writer writer, void* user) {
  deref("writer", writer);
  return [=](const void* from, std::size_t count) {
    const int32_t result = writer(from, count, user);
    if (result != 0) refuse_failure("the writer of an array", result);
  };
}

}  // namespace

headwise_status headwise_read_npy(headwise_byte_reader reader, void* user, const char* name, headwise_tensor** tensor) {
  return guard([&] {
    auto& result = deref("tensor", tensor);
    const std::string source = read_text("name", name);
    result = new headwise_tensor{headwise::read_npy(read_reader(reader, user, source), source)};
  });
}

headwise_status headwise_write_npy(headwise_byte_writer writer, void* user, const headwise_view* tensor) {
  return guard([&] {
    const headwise::TensorView view = read_view("tensor", &deref("tensor", tensor));
    headwise::write_npy(read_writer(writer, user), view);
  });
}
