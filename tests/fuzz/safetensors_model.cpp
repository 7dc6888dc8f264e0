#include "safetensors_model.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "json_model.hpp"

namespace {

// Thrown inside this file only.
struct Broken {};

void rule(bool kept) {
  if (!kept) throw Broken();
}

using Wide = unsigned __int128;
constexpr Wide limit = Wide{1} << 64;

const std::map<std::string, unsigned> bits_of = {
    {"BOOL", 8},    {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6},     {"U8", 8},   {"I8", 8},
    {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8}, {"I16", 16}, {"F8_E5M2FNUZ", 8},
    {"U16", 16},    {"F16", 16},    {"BF16", 16},   {"I32", 32},        {"U32", 32}, {"F32", 32},
    {"C64", 64},    {"F64", 64},    {"I64", 64},    {"U64", 64},
};

// Digits alone, below 2^64.
std::uint64_t whole_number(const Json& json) {
  rule(json.kind == Json::Kind::number);
  rule(json.text.find_first_not_of("0123456789") == std::string::npos && json.text.size() <= 20);
  Wide value = 0;
  for (const char digit : json.text) value = value * 10 + static_cast<unsigned>(digit - '0');
  rule(value < limit);
  return static_cast<std::uint64_t>(value);
}

std::vector<std::uint64_t> whole_numbers(const Json& json) {
  rule(json.kind == Json::Kind::array);
  std::vector<std::uint64_t> numbers;
  for (const Json& item : json.items) numbers.push_back(whole_number(item));
  return numbers;
}

const Json& only(const Json& object, const char* key) {
  const auto found = object.all(key);
  rule(found.size() == 1);
  return *found[0];
}

ModelTensor read_entry(const std::string& name, const Json& json) {
  rule(json.kind == Json::Kind::object);
  ModelTensor tensor;
  tensor.name = name;
  tensor.dtype = only(json, "dtype").text;
  rule(only(json, "dtype").kind == Json::Kind::text);
  tensor.shape = whole_numbers(only(json, "shape"));
  const auto offsets = whole_numbers(only(json, "data_offsets"));
  rule(offsets.size() == 2);
  tensor.begin = offsets[0];
  tensor.end = offsets[1];
  return tensor;
}

std::map<std::string, std::string> read_metadata(const Json& json) {
  std::map<std::string, std::string> metadata;
  if (json.kind == Json::Kind::null) return metadata;
  rule(json.kind == Json::Kind::object);
  for (std::size_t i = 0; i < json.items.size(); ++i) {
    rule(json.items[i].kind == Json::Kind::text);
    rule(metadata.emplace(json.keys[i], json.items[i].text).second);
  }
  return metadata;
}

// No step from the left may reach 2^64, even when a zero follows.
void check_size(const ModelTensor& tensor) {
  rule(bits_of.count(tensor.dtype) == 1);
  Wide bits = 1;
  for (const std::uint64_t size : tensor.shape) {
    bits *= size;
    rule(bits < limit);
  }
  bits *= bits_of.at(tensor.dtype);
  rule(bits < limit && bits % 8 == 0);
  rule(tensor.begin <= tensor.end && tensor.end - tensor.begin == bits / 8);
}

void check_coverage(const ModelFile& file, bool allow_trailing_bytes) {
  std::uint64_t covered = 0;
  for (const ModelTensor& tensor : file.tensors) {
    rule(tensor.begin == covered);
    covered = tensor.end;
  }
  rule(covered == file.data.size() || (allow_trailing_bytes && covered < file.data.size()));
}

ModelFile read_file(std::string_view bytes, bool allow_trailing_bytes) {
  rule(bytes.size() >= 8);
  Wide length = 0;
  for (int i = 7; i >= 0; --i) length = length * 256 + static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)]);
  rule(length <= 100'000'000 && length <= bytes.size() - 8);
  const auto header = parse_json(bytes.substr(8, static_cast<std::size_t>(length)));
  rule(header && header->kind == Json::Kind::object);

  ModelFile file;
  file.data = bytes.substr(8 + static_cast<std::size_t>(length));
  std::set<std::string> names;
  for (std::size_t i = 0; i < header->items.size(); ++i) {
    const std::string& name = header->keys[i];
    rule(names.insert(name).second);
    if (name == "__metadata__") {
      file.metadata = read_metadata(header->items[i]);
    } else {
      file.tensors.push_back(read_entry(name, header->items[i]));
      check_size(file.tensors.back());
    }
  }
  std::sort(file.tensors.begin(), file.tensors.end(), [](const ModelTensor& a, const ModelTensor& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  check_coverage(file, allow_trailing_bytes);
  return file;
}

}  // namespace

std::optional<ModelFile> read_model(std::string_view bytes, bool allow_trailing_bytes) try {
  return read_file(bytes, allow_trailing_bytes);
} catch (const Broken&) {
  return std::nullopt;
}
