#include <algorithm>
#include <array>

#include "checked.hpp"
#include "logging.hpp"
#include "safetensors_header.hpp"
#include "text.hpp"

namespace headwise {
namespace {

struct TypeRow {
  std::string_view name;
  unsigned bits;
  std::optional<DType> dtype;  // those without one can be listed but not read
};

constexpr std::array<TypeRow, 22> type_table{{
    {"BOOL", 8, DType::boolean}, {"F4", 4, {}},           {"F6_E2M3", 6, {}},        {"F6_E3M2", 6, {}},
    {"U8", 8, DType::u8},        {"I8", 8, DType::i8},    {"F8_E5M2", 8, {}},        {"F8_E4M3", 8, {}},
    {"F8_E8M0", 8, {}},          {"F8_E4M3FNUZ", 8, {}},  {"F8_E5M2FNUZ", 8, {}},    {"I16", 16, DType::i16},
    {"U16", 16, DType::u16},     {"F16", 16, DType::f16}, {"BF16", 16, DType::bf16}, {"I32", 32, DType::i32},
    {"U32", 32, DType::u32},     {"F32", 32, DType::f32}, {"C64", 64, {}},           {"F64", 64, DType::f64},
    {"I64", 64, DType::i64},     {"U64", 64, DType::u64},
}};

const TypeRow* find_type(std::string_view name) noexcept {
  const auto found =
      std::find_if(type_table.begin(), type_table.end(), [&](const TypeRow& row) { return row.name == name; });
  return found == type_table.end() ? nullptr : &*found;
}

[[noreturn]] void refuse(const std::string& path, const std::string& problem) {
  throw Error(ErrorCode::bad_file, in_quotes(path) + ": " + problem);
}

[[noreturn]] void refuse(const std::string& path, const TensorInfo& tensor, const std::string& problem) {
  refuse(path, "tensor " + in_quotes(tensor.name) + ": " + problem);
}

std::string offsets_text(const TensorInfo& tensor) {
  return "data_offsets [" + std::to_string(tensor.begin) + ", " + std::to_string(tensor.end) + "]";
}

// Left to right, as the reference does: a zero behind an overflow does not heal it.
std::optional<std::uint64_t> product(const std::vector<std::uint64_t>& shape) {
  std::optional<std::uint64_t> count = 1;
  for (const std::uint64_t size : shape) {
    if (count) count = checked_multiply(*count, size);
  }
  return count;
}

std::uint64_t expected_bytes(const TensorInfo& tensor, const std::string& path) {
  const TypeRow* type = find_type(tensor.dtype);
  if (type == nullptr) refuse(path, tensor, "unknown dtype " + in_quotes(tensor.dtype));
  const auto count = product(tensor.shape);
  const auto bits = count ? checked_multiply<std::uint64_t>(*count, type->bits) : std::nullopt;
  if (!bits) refuse(path, tensor, "size overflow, shape " + shape_text(tensor.shape) + " exceeds 2^64 bits");
  if (*bits % 8 != 0) {
    refuse(path, tensor, "shape " + shape_text(tensor.shape) + " of " + tensor.dtype + " is no whole number of bytes");
  }
  return *bits / 8;
}

void check_tensor(const TensorInfo& tensor, const std::string& path) {
  const std::uint64_t expected = expected_bytes(tensor, path);
  if (tensor.end < tensor.begin) refuse(path, tensor, offsets_text(tensor) + " end before they begin");
  if (tensor.end - tensor.begin != expected) {
    refuse(path, tensor,
           offsets_text(tensor) + " hold " + std::to_string(tensor.end - tensor.begin) + " bytes, but " + tensor.dtype +
               " " + shape_text(tensor.shape) + " needs " + std::to_string(expected));
  }
}

void check_names(const std::vector<TensorInfo>& tensors, const std::string& path) {
  std::vector<const TensorInfo*> by_name;
  for (const TensorInfo& tensor : tensors) by_name.push_back(&tensor);
  std::sort(by_name.begin(), by_name.end(), [](auto* a, auto* b) { return a->name < b->name; });
  const auto same = [](auto* a, auto* b) { return a->name == b->name; };
  const auto found = std::adjacent_find(by_name.begin(), by_name.end(), same);
  if (found != by_name.end()) refuse(path, "duplicate tensor name " + in_quotes((*found)->name));
}

// Every byte of the data belongs to exactly one tensor: no holes to hide something in, no sharing.
std::uint64_t check_coverage(const std::vector<TensorInfo>& in_byte_order, const std::string& path) {
  std::uint64_t expected = 0;
  for (const TensorInfo& tensor : in_byte_order) {
    if (tensor.begin != expected) {
      const char* problem = tensor.begin < expected ? " overlap the tensor before" : " leave a hole";
      refuse(path, tensor, offsets_text(tensor) + problem + ", expected begin " + std::to_string(expected));
    }
    expected = tensor.end;
  }
  return expected;
}

void check_length(std::uint64_t declared, std::uint64_t present, bool allow_trailing_bytes, const std::string& path) {
  if (present == declared) return;
  const bool shorter = present < declared;
  const std::uint64_t difference = shorter ? declared - present : present - declared;
  if (!shorter && allow_trailing_bytes) {
    return log(LogLevel::warning, [&] {
      return in_quotes(path) + ": " + std::to_string(difference) + " bytes behind the last tensor are not read";
    });
  }
  refuse(path, "the file is " + std::to_string(difference) + " bytes " + (shorter ? "shorter" : "longer") +
                   " than its header declares");
}

bool byte_order(const TensorInfo& a, const TensorInfo& b) {
  if (a.begin != b.begin) return a.begin < b.begin;
  return a.end != b.end ? a.end < b.end : a.name < b.name;
}

}  // namespace

void check_safetensors_layout(SafetensorsHeader& header, std::uint64_t data_bytes, bool allow_trailing_bytes,
                              const std::string& path) {
  check_names(header.tensors, path);
  for (const TensorInfo& tensor : header.tensors) check_tensor(tensor, path);
  std::sort(header.tensors.begin(), header.tensors.end(), byte_order);
  check_length(check_coverage(header.tensors, path), data_bytes, allow_trailing_bytes, path);
}

std::optional<DType> dtype_of_safetensors(std::string_view name) noexcept {
  const TypeRow* type = find_type(name);
  return type == nullptr ? std::nullopt : type->dtype;
}

std::string_view safetensors_type(DType dtype) noexcept {
  return std::find_if(type_table.begin(), type_table.end(), [&](const TypeRow& row) { return row.dtype == dtype; })
      ->name;
}

}  // namespace headwise
