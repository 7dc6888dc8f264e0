#include "input_files.hpp"

#include <algorithm>
#include <vector>

#include "option_types.hpp"
#include "standard_streams.hpp"
#include "summary.hpp"
#include "text.hpp"

namespace headwise::tools {
namespace {

struct FileRole {
  std::string role;  // the option without its dashes
  std::string path;
};

std::string type_and_name(const std::string& role, const std::string& path, const Tensor& tensor) {
  return role + " " + input_name(path) + " is " + dtype_name(tensor.dtype());
}

bool is_float(DType dtype) {
  return dtype == DType::f32 || dtype == DType::f64 || dtype == DType::f16 || dtype == DType::bf16;
}

// Values that f32 cannot hold become infinite: worth a word, for −1e300 in a mask does what its writer wants.
std::string overflow_words(const Tensor& before, const Tensor& after) {
  const std::int64_t count = count_nonfinite(after).infinite_count - count_nonfinite(before).infinite_count;
  return count == 0 ? "" : "; " + plural(count, "value") + " too large for it became infinite";
}

Tensor to_floats(const FileRole& file, Tensor tensor, DType dtype, const Console& console) {
  if (tensor.dtype() == dtype) return tensor;
  if (!is_float(tensor.dtype())) {
    throw UsageError(type_and_name(file.role, file.path, tensor) + "; save it as f32, f64 or f16");
  }
  Tensor converted = convert(tensor, dtype);
  console.note(type_and_name(file.role, file.path, tensor) + ", converted to " + dtype_name(dtype) +
               overflow_words(tensor, converted));
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

// Anything else names a file.
bool is_list(const std::string& text) {
  return text.find_first_not_of("0123456789+-., \t") == std::string::npos;
}

Tensor numbers_file(const std::string& role, const std::string& path) {
  Tensor tensor = load_array(path);
  const std::string what = type_and_name("--" + role, path, tensor);
  if (is_float(tensor.dtype()) || tensor.dtype() == DType::boolean) {
    throw UsageError(what + "; save it as whole numbers, i64 or i32");
  }
  if (tensor.dtype() == DType::i32) return tensor;
  try {
    return convert(tensor, DType::i64);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::invalid_argument) throw;
    throw UsageError(what + ": " + error.what() + "; save it as i64");
  }
}

Tensor load_mask(const FileRole& file, BooleanMask meaning, const Console& console) {
  Tensor mask = load_array(file.path);
  check_meaning(file.role, file.path, mask, meaning);
  if (is_float(mask.dtype())) return to_floats(file, std::move(mask), DType::f32, console);
  return convert(mask, DType::boolean);
}

Tensor load_numbers(const FileRole& file) {
  if (is_standard(file.path) || !is_list(file.path)) return numbers_file(file.role, file.path);
  const auto numbers = whole_numbers("--" + file.role, file.path, ", or a .npy file");
  Tensor tensor(DType::i64, {static_cast<std::int64_t>(numbers.size())});
  std::copy(numbers.begin(), numbers.end(), tensor.data<std::int64_t>());
  return tensor;
}

}  // namespace

Tensor load_input(const InputFile& file, const LayerOptions& options, const Console& console) {
  const FileRole role{file.role(), options.inputs[file.id]};
  if (role.path.empty()) return {};
  const bool is_padding = file.id == Input::key_padding;
  switch (file.kind) {
    case InputKind::activations:
      return to_floats(role, load_array(role.path), options.dtype, console);
    case InputKind::floats:
      return to_floats(role, load_array(role.path), DType::f32, console);
    case InputKind::mask:
      return load_mask(role, is_padding ? options.padding_meaning : options.mask_meaning, console);
    case InputKind::numbers:
      return load_numbers(role);
  }
  return {};
}

}  // namespace headwise::tools
