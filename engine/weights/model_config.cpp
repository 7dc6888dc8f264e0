#include <array>
#include <filesystem>
#include <new>
#include <nlohmann/json.hpp>

#include "file_bytes.hpp"
#include "headwise/weights.hpp"
#include "text.hpp"

namespace headwise {
namespace {

constexpr std::uint64_t max_config_bytes = 16u << 20;
constexpr int max_depth = 127;
// In the order in which they are believed.
constexpr std::array<std::string_view, 4> head_keys{"num_attention_heads", "n_heads", "n_head", "num_heads"};

struct Found {
  bool seen = false, repeated = false;
  std::int64_t value = 0;  // 0 when it is no positive integer
};

// Keeps the values of a few keys of the outer object and steps over all else, however deep or long it is.
class ConfigEvents : public nlohmann::json_sax<nlohmann::json> {
 public:
  std::array<Found, head_keys.size()> found;
  bool is_object = false;

  bool null() override { return value(0); }
  bool boolean(bool) override { return value(0); }
  bool number_integer(number_integer_t) override { return value(0); }
  bool number_unsigned(number_unsigned_t number) override {
    return value(number <= INT64_MAX ? static_cast<std::int64_t>(number) : 0);
  }
  bool number_float(number_float_t, const string_t&) override { return value(0); }
  bool string(string_t&) override { return value(0); }
  bool binary(binary_t&) override { return value(0); }
  bool start_object(std::size_t) override {
    if (depth_ == 0) is_object = true;
    return open();
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    wanted_ = nullptr;
    for (std::size_t i = 0; i < head_keys.size(); ++i) {
      if (depth_ == 1 && name == head_keys[i]) wanted_ = &found[i];
    }
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override { return false; }

 private:
  bool value(std::int64_t number) {
    if (wanted_ == nullptr) return true;
    *wanted_ = {true, wanted_->seen, number};
    wanted_ = nullptr;
    return true;
  }
  bool open() { return value(0) && ++depth_ <= max_depth; }
  bool close() {
    --depth_;
    return true;
  }

  Found* wanted_ = nullptr;
  int depth_ = 0;
};

[[noreturn]] void refuse(const std::string& path, const std::string& problem) {
  throw Error(ErrorCode::bad_file, in_quotes(path) + ": " + problem);
}

std::string read_text(const std::string& path) {
  const InputFile file(path);
  if (file.size() > max_config_bytes) refuse(path, "larger than the limit of 16 MiB");
  std::string text(file.size(), '\0');
  file.read_at(0, text.data(), text.size());
  return text;
}

ConfigEvents parse(const std::string& path) {
  const std::string text = read_text(path);
  ConfigEvents events;
  // The parser would take a NUL for the end of the text.
  const bool good = text.find('\0') == std::string::npos && nlohmann::json::sax_parse(text, &events);
  if (!good || !events.is_object) refuse(path, "not a valid JSON object");
  return events;
}

}  // namespace

std::optional<std::int64_t> heads_from_config(const std::string& weight_file) try {
  const std::string path = (std::filesystem::path(weight_file).parent_path() / "config.json").string();
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::nullopt;
  const ConfigEvents events = parse(path);
  for (std::size_t i = 0; i < head_keys.size(); ++i) {
    const Found& found = events.found[i];
    if (!found.seen) continue;
    if (found.repeated) refuse(path, "duplicate key " + in_quotes(head_keys[i]));
    if (found.value <= 0) refuse(path, std::string(head_keys[i]) + " is no positive integer");
    return found.value;
  }
  return std::nullopt;
} catch (const std::bad_alloc&) {
  throw Error(ErrorCode::out_of_memory, in_quotes(weight_file) + ": no memory for its config.json");
}

}  // namespace headwise
