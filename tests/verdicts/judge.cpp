// Reads the files named on standard input with headwise and prints a line for each, in the form of reference.py:
// "accepts" with metadata and tensors, or "refuses" with the error's code and message.
#include <algorithm>
#include <cctype>
#include <iostream>

#include "headwise/error.hpp"
#include "headwise/weights.hpp"

using namespace headwise;

namespace {

constexpr std::size_t shown_bytes = 24, shown_axes = 9, shown_metadata = 3;

std::string hex(unsigned char byte) {
  constexpr char digits[] = "0123456789abcdef";
  return {digits[byte >> 4], digits[byte & 15]};
}

std::string plain(const std::string& name) {
  std::string text;
  for (const char c : name.substr(0, shown_bytes)) {
    const auto byte = static_cast<unsigned char>(c);
    text += byte < 128 && std::isalnum(byte) != 0 ? std::string(1, c) : "%" + hex(byte);
  }
  return text;
}

template <class Sizes>
std::string shape_text(const Sizes& sizes) {
  std::string text;
  std::size_t count = 0;
  for (const auto size : sizes) {
    if (count++ < shown_axes) text += (text.empty() ? "" : ",") + std::to_string(size);
  }
  return "[" + text + "]";
}

std::string data_text(const Tensor& tensor) {
  const auto* bytes = static_cast<const unsigned char*>(tensor.view().data);
  const std::size_t count = static_cast<std::size_t>(tensor.size()) * dtype_size(tensor.dtype());
  std::string text;
  for (std::size_t i = 0; i < std::min(count, shown_bytes); ++i) text += hex(bytes[i]);
  return text;
}

// What headwise lists but has no tensor for stays without data.
std::string readable_data(const WeightFile& file, const std::string& name) try {
  return data_text(file.read(name));
} catch (const Error& error) {
  if (error.code() != ErrorCode::unsupported) throw;
  return "";
}

std::string safetensors_text(const std::string& path) {
  const WeightFile file = WeightFile::open(path);
  std::string text;
  std::size_t pairs = 0;
  for (const auto& [key, value] : file.metadata()) {
    if (pairs++ < shown_metadata) text += " " + plain(key) + "=" + plain(value);
  }
  std::vector<TensorInfo> tensors = file.tensors();
  std::sort(tensors.begin(), tensors.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  for (const TensorInfo& info : tensors) {
    text += " " + plain(info.name) + ":" + info.dtype + ":" + shape_text(info.shape) + ":";
    text += readable_data(file, info.name);
  }
  return text.empty() ? "" : text.substr(1);
}

std::string kind_text(DType dtype) {
  const std::string name = dtype_name(dtype);
  const std::string kind = dtype == DType::boolean ? "b" : name.substr(0, 1);
  return kind + std::to_string(dtype_size(dtype));
}

std::string npy_text(const std::string& path) {
  const Tensor tensor = load_npy(path);
  return kind_text(tensor.dtype()) + ":" + shape_text(tensor.shape()) + ":" + data_text(tensor);
}

bool ends_with(const std::string& path, const std::string& suffix) {
  return path.size() >= suffix.size() && path.compare(path.size() - suffix.size(), suffix.size(), suffix) == 0;
}

std::string verdict(const std::string& path) try {
  return "accepts\t" + (ends_with(path, ".npy") ? npy_text(path) : safetensors_text(path));
} catch (const Error& error) {
  return std::string("refuses\t") + error_code_name(error.code()) + "\t" + error.what();
}

}  // namespace

int main() {
  for (std::string path; std::getline(std::cin, path);) std::cout << path << '\t' << verdict(path) << '\n';
}
