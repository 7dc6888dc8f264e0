#include <algorithm>
#include <array>
#include <new>
#include <nlohmann/json.hpp>

#include "file_writer.hpp"
#include "headwise/files.hpp"
#include "named_views.hpp"
#include "out_of_memory.hpp"
#include "safetensors_header.hpp"
#include "text.hpp"
#include "view_bytes.hpp"

namespace headwise {
namespace {

using Views = std::vector<const NamedView*>;

constexpr std::size_t alignment = 64, length_bytes = 8, max_header_bytes = 100'000'000;

[[noreturn]] void refuse(const std::string& path, const std::string& problem) {
  throw Error(ErrorCode::invalid_argument, in_quotes(path) + ": " + problem);
}

// The order of the reference's writer: with the largest elements first each tensor is aligned to its elements.
Views in_file_order(const std::vector<NamedView>& tensors, const std::string& path) {
  Views order = sorted_views(tensors, path);
  const auto larger = [](const NamedView* a, const NamedView* b) {
    return dtype_size(a->tensor.dtype) > dtype_size(b->tensor.dtype);
  };
  std::stable_sort(order.begin(), order.end(), larger);
  return order;
}

void check_metadata(const std::map<std::string, std::string>& metadata, const std::string& path) {
  for (const auto& [key, value] : metadata) {
    if (!is_utf8(key) || !is_utf8(value)) refuse(path, "metadata " + in_quotes(key) + " is no UTF-8");
  }
}

std::string string_text(std::string_view text) {
  return nlohmann::json(text).dump();
}

// "[3,4]"
template <class Numbers>
std::string list_text(const Numbers& numbers) {
  std::vector<std::string> texts;
  for (const auto number : numbers) texts.push_back(std::to_string(number));
  return "[" + join(texts, ",") + "]";
}

std::string metadata_text(const std::map<std::string, std::string>& metadata) {
  std::vector<std::string> fields;
  for (const auto& [key, value] : metadata) fields.push_back(string_text(key) + ":" + string_text(value));
  return "{" + join(fields, ",") + "}";
}

std::string entry_text(const TensorView& tensor, const std::array<std::uint64_t, 2>& offsets) {
  return "{\"dtype\":" + string_text(safetensors_type(tensor.dtype)) + ",\"shape\":" + list_text(tensor.shape) +
         ",\"data_offsets\":" + list_text(offsets) + "}";
}

// Spaces behind the JSON put the data at a multiple of 64 bytes of the file.
std::string header_text(const Views& order, const std::map<std::string, std::string>& metadata) {
  std::vector<std::string> fields;
  if (!metadata.empty()) fields.push_back("\"__metadata__\":" + metadata_text(metadata));
  std::uint64_t begin = 0;
  for (const NamedView* view : order) {
    const std::uint64_t end = begin + byte_count(view->tensor);
    fields.push_back(string_text(view->name) + ":" + entry_text(view->tensor, {begin, end}));
    begin = end;
  }
  std::string text = "{" + join(fields, ",") + "}";
  text.append((alignment - (length_bytes + text.size()) % alignment) % alignment, ' ');
  return text;
}

void write_file(const std::string& path, const std::string& header, const Views& order, const WrittenCheck& check) {
  FileWriter writer(path);
  const std::uint64_t length = header.size();
  writer.write(&length, sizeof length);
  writer.write(header.data(), header.size());
  for (const NamedView* view : order) {
    const ViewBytes bytes(view->tensor);
    writer.write(bytes.data(), bytes.size());
  }
  if (check) check(WeightFile::open(writer.path_to_read()));
  writer.finish();
}

}  // namespace

void save_safetensors(const std::string& path, const std::vector<NamedView>& tensors,
                      const std::map<std::string, std::string>& metadata, const WrittenCheck& check) try {
  const Views order = in_file_order(tensors, path);
  for (const NamedView* view : order) {
    if (view->name == "__metadata__") refuse(path, "no tensor can be called '__metadata__'");
  }
  check_metadata(metadata, path);
  const std::string header = header_text(order, metadata);
  if (header.size() > max_header_bytes) refuse(path, "the header exceeds the limit of 100000000 bytes");
  write_file(path, header, order, check);
} catch (const std::bad_alloc&) {
  throw_out_of_memory([&] { return in_quotes(path) + ": no memory to write it"; });
}

}  // namespace headwise
