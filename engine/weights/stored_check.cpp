#include <array>
#include <charconv>
#include <cmath>
#include <new>
#include <optional>

#include "flat_object.hpp"
#include "headwise/weight_layouts.hpp"
#include "out_of_memory.hpp"
#include "single_parts.hpp"
#include "stored_sums.hpp"
#include "text.hpp"

namespace headwise {
namespace {

using nlohmann::json;

constexpr std::size_t max_text = 4096;
constexpr std::uint64_t format_version = 1;
// Of the sum of magnitudes. Double arithmetic differs by 1e-15 between machines; two rows of a thousand that change
// places move a sum by some 1e-4.
constexpr double tolerance = 1e-9;

// Shortest digits that read back the same; infinite and NaN have no place in JSON.
std::string number_text(double number) {
  if (!std::isfinite(number)) return "null";
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.begin(), digits.end(), number).ptr;
  return std::string(digits.begin(), end);
}

[[noreturn]] void refuse(const WeightFile& file, const std::string& prefix, const std::string& problem) {
  throw Error(ErrorCode::bad_file, in_quotes(file.path()) + ": the stored check of layer " + in_quotes(prefix) + " " +
                                       problem + " (StoredCheck::off loads the layer without it)");
}

// The sums of a caller's layer; its config is resolved.
std::vector<StoredSum> sums_of(const AttentionWeights& weights, const AttentionConfig& config) {
  check_parts(weights, config, "the stored check");
  return stored_sums(weights, config);
}

struct Stored {
  std::int64_t num_heads = 0, num_kv_heads = 0;
  std::vector<std::optional<double>> sums;
};

std::optional<Stored> parse(const std::string& text) {
  const auto object = text.size() <= max_text ? parse_flat_object(text) : std::nullopt;
  if (!object || object->entries.size() != 4) return std::nullopt;
  const auto value = [&](const char* key) -> const json& { return object->find(key).value; };
  for (const char* key : {"version", "num_heads", "num_kv_heads"}) {
    if (!value(key).is_number_unsigned()) return std::nullopt;
  }
  if (value("version") != format_version || !value("sums").is_array()) return std::nullopt;
  Stored stored{value("num_heads").get<std::int64_t>(), value("num_kv_heads").get<std::int64_t>(), {}};
  for (const json& sum : object->find("sums").items) {
    if (!sum.is_number() && !sum.is_null()) return std::nullopt;
    stored.sums.push_back(sum.is_null() ? std::nullopt : std::optional(sum.get<double>()));
  }
  return stored;
}

bool agrees(const StoredSum& sum, const std::optional<double>& stored) {
  if (!std::isfinite(sum.value)) return !stored;
  return stored && std::fabs(sum.value - *stored) <= tolerance * sum.magnitude;
}

std::string heads_text(std::int64_t heads, std::int64_t kv_heads) {
  return std::to_string(heads) + " heads on " + std::to_string(kv_heads) + " key/value heads";
}

void compare(const WeightFile& file, const std::string& prefix, const std::vector<StoredSum>& sums,
             const Stored& stored) {
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (agrees(sums[i], stored.sums[i])) continue;
    refuse(file, prefix,
           "fails at " + sums[i].what + ": " + number_text(sums[i].value) + " instead of " +
               number_text(stored.sums[i].value_or(NAN)) +
               "; its tensors are damaged, or transposed or ordered otherwise than they are read");
  }
}

}  // namespace

std::string stored_check_key(const std::string& prefix) {
  return "headwise.check:" + prefix;
}

bool has_stored_check(const WeightFile& file, const std::string& prefix) {
  return file.metadata().count(stored_check_key(prefix)) == 1;
}

std::string stored_check_for(const AttentionWeights& weights) try {
  const AttentionConfig config = resolve(weights.config);
  std::vector<std::string> numbers;
  for (const StoredSum& sum : sums_of(weights, config)) numbers.push_back(number_text(sum.value));
  return "{\"version\":" + std::to_string(format_version) + ",\"num_heads\":" + std::to_string(config.num_heads) +
         ",\"num_kv_heads\":" + std::to_string(config.num_kv_heads) + ",\"sums\":[" + join(numbers, ",") + "]}";
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory for the check of a layer");
}

void check_stored(const WeightFile& file, const std::string& prefix, const AttentionWeights& weights) try {
  const auto found = file.metadata().find(stored_check_key(prefix));
  if (found == file.metadata().end()) refuse(file, prefix, "is required, but there is none");
  const std::optional<Stored> stored = parse(found->second);
  const AttentionConfig config = resolve(weights.config);
  const std::vector<StoredSum> sums = sums_of(weights, config);
  if (!stored || stored->sums.size() != sums.size()) refuse(file, prefix, "is damaged or of a later version");
  if (stored->num_heads != config.num_heads || stored->num_kv_heads != config.num_kv_heads) {
    refuse(file, prefix,
           "was made for " + heads_text(stored->num_heads, stored->num_kv_heads) + ", but it has " +
               heads_text(config.num_heads, config.num_kv_heads));
  }
  compare(file, prefix, sums, *stored);
} catch (const std::bad_alloc&) {
  throw_out_of_memory([&] { return in_quotes(file.path()) + ": no memory to check its layer"; });
}

}  // namespace headwise
