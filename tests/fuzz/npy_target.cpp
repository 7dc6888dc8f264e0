// A .npy file gives a tensor that the file's bytes can hold and that comes back the same when it is written and read
// again, or it is refused.
#include <cstring>

#include "headwise/tensor.hpp"
#include "target.hpp"

using namespace headwise;

namespace {

bool same(const Tensor& a, const Tensor& b) {
  const std::size_t bytes = static_cast<std::size_t>(a.size()) * dtype_size(a.dtype());
  return a.dtype() == b.dtype() && a.shape() == b.shape() && std::memcmp(a.view().data, b.view().data, bytes) == 0;
}

void check(const Tensor& tensor, std::size_t file_bytes, const TemporaryFolder& folder) {
  const std::size_t bytes = static_cast<std::size_t>(tensor.size()) * dtype_size(tensor.dtype());
  require(bytes <= file_bytes, "no more elements than the file holds");
  const std::string copy = folder.file("copy.npy");
  save_npy(copy, tensor);
  require(same(load_npy(copy), tensor), "a written tensor is read back");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const InputFolder folder("input.npy");
  folder.write({reinterpret_cast<const char*>(data), size});
  accepted([&] { check(load_npy(folder.input()), size, folder.folder()); });
  return 0;
}
