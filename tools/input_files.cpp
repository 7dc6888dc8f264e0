#include "input_files.hpp"

#include <algorithm>
#include <vector>

#include "summary.hpp"
#include "text.hpp"

namespace headwise::tools {
namespace {

std::string type_and_name(const std::string& role, const std::string& path, const Tensor& tensor) {
  return role + " " + path + " is " + dtype_name(tensor.dtype());
}

bool is_float(DType dtype) {
  return dtype == DType::f32 || dtype == DType::f64 || dtype == DType::f16 || dtype == DType::bf16;
}

// Values that f32 cannot hold become infinite: worth a word, for −1e300 in a mask does what its writer wants.
std::string overflow_words(const Tensor& before, const Tensor& after) {
  const std::int64_t count = count_nonfinite(after).infinite_count - count_nonfinite(before).infinite_count;
  return count == 0 ? "" : "; " + plural(count, "value") + " too large for it became infinite";
}

Tensor to_f32(const std::string& role, const std::string& path, Tensor tensor, const Console& console) {
  if (tensor.dtype() == DType::f32) return tensor;
  if (tensor.dtype() != DType::f64 && tensor.dtype() != DType::f16) {
    throw CommandError(type_and_name(role, path, tensor) + "; save it as f32, f64 or f16");
  }
  Tensor converted = convert(tensor, DType::f32);
  console.note(type_and_name(role, path, tensor) + ", converted to f32" + overflow_words(tensor, converted));
  return converted;
}

void check_meaning(const std::string& role, const std::string& path, const Tensor& mask, BooleanMask meaning) {
  const std::string option = "--" + role + "-meaning", what = type_and_name(role, path, mask);
  const bool named = meaning != BooleanMask::unspecified;
  if (is_float(mask.dtype())) {
    if (named) throw UsageError(what + ", which is added to the scores; " + option + " is for bool and integers");
  } else if (!named) {
    const std::string yes = mask.dtype() == DType::boolean ? "true" : "nonzero";
    throw UsageError(what + "; say what " + yes + " means with " + option + " keep or drop");
  }
}

std::string without_blanks(const std::string& text) {
  const auto first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

// Anything else names a file.
bool is_list(const std::string& text) {
  return text.find_first_not_of("0123456789+-., \t") == std::string::npos;
}

std::vector<std::int64_t> parse_lengths(const std::string& role, const std::string& text) {
  std::vector<std::int64_t> lengths;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string word = without_blanks(text.substr(begin, end - begin));
    const auto value = parse_whole_number(word);
    if (!value) {
      throw UsageError("--" + role + ": '" + word + "' in '" + text +
                       "' is no length; give whole numbers of 0 or more such as 3,5,2, or a .npy file");
    }
    lengths.push_back(*value);
    begin = end + 1;
  }
  return lengths;
}

Tensor lengths_file(const std::string& role, const std::string& path) {
  Tensor tensor = load_npy(path);
  const std::string what = type_and_name("--" + role, path, tensor);
  if (is_float(tensor.dtype()) || tensor.dtype() == DType::boolean) {
    throw CommandError(what + "; save it as whole numbers, i64 or i32");
  }
  if (tensor.dtype() == DType::i32) return tensor;
  try {
    return convert(tensor, DType::i64);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::invalid_argument) throw;
    throw CommandError(what + ": " + error.what() + "; save it as i64");
  }
}

}  // namespace

Tensor load_floats(const std::string& role, const std::string& path, const Console& console) {
  return path.empty() ? Tensor() : to_f32(role, path, load_npy(path), console);
}

Tensor load_mask(const std::string& role, const std::string& path, BooleanMask meaning, const Console& console) {
  if (path.empty()) return {};
  Tensor mask = load_npy(path);
  check_meaning(role, path, mask, meaning);
  if (is_float(mask.dtype())) return to_f32(role, path, std::move(mask), console);
  return convert(mask, DType::boolean);
}

Tensor load_lengths(const std::string& role, const std::string& text) {
  if (text.empty()) return {};
  if (!is_list(text)) return lengths_file(role, text);
  const auto lengths = parse_lengths(role, text);
  Tensor tensor(DType::i64, {static_cast<std::int64_t>(lengths.size())});
  std::copy(lengths.begin(), lengths.end(), tensor.data<std::int64_t>());
  return tensor;
}

}  // namespace headwise::tools
