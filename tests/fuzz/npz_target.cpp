// An .npz archive gives tensors that its bytes can hold, the same through both readers and after it is written again,
// or it is refused.
#include <cstring>

#include "headwise/files.hpp"
#include "headwise/weights.hpp"
#include "target.hpp"

using namespace headwise;

namespace {

constexpr std::size_t max_ratio = 1032;  // of deflate: 258 bytes from 2 bits

std::size_t bytes_of(const Tensor& tensor) {
  return static_cast<std::size_t>(tensor.size()) * dtype_size(tensor.dtype());
}

void require_same(const Tensor& a, const Tensor& b) {
  const bool same = a.dtype() == b.dtype() && a.shape() == b.shape();
  require(same && std::memcmp(a.view().data, b.view().data, bytes_of(a)) == 0, "the same tensor");
}

std::map<std::string, Tensor> read_each(const WeightFile& file) {
  std::map<std::string, Tensor> tensors;
  for (const TensorInfo& info : file.tensors()) tensors.emplace(info.name, file.read(info.name));
  return tensors;
}

// A name that save_npz does not take is refused by it, which is all that it may do.
void write_again(const std::map<std::string, Tensor>& tensors, const std::string& path) {
  std::vector<NamedView> views;
  for (const auto& [name, tensor] : tensors) views.push_back({name, tensor.view()});
  if (!accepted([&] { save_npz(path, views); })) return;
  const auto again = load_npz(path);
  require(again.size() == tensors.size(), "all tensors are written");
  for (const auto& [name, tensor] : tensors) require_same(again.at(name), tensor);
}

void check(const InputFolder& folder, std::size_t file_bytes) {
  const auto tensors = read_each(WeightFile::open(folder.input()));
  std::size_t bytes = 0;
  for (const auto& [name, tensor] : tensors) bytes += bytes_of(tensor);
  require(bytes <= max_ratio * file_bytes, "no more data than the archive can hold");
  const auto together = load_npz(folder.input());
  for (const auto& [name, tensor] : tensors) require_same(together.at(name), tensor);
  write_again(tensors, folder.folder().file("copy.npz"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const InputFolder folder("input.npz");
  folder.write({reinterpret_cast<const char*>(data), size});
  accepted([&] { check(folder, size); });
  return 0;
}
