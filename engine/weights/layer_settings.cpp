#include "layer_settings.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "flat_object.hpp"
#include "text.hpp"

namespace headwise {
namespace {

using nlohmann::json;

constexpr std::int64_t format_version = 1;
constexpr std::size_t max_text = 1u << 20;

// Words of enumerations, in their order.
constexpr std::array<std::string_view, 2> layout_words{"half_split", "interleaved"};
constexpr std::array<std::string_view, 5> scaling_words{"none", "linear", "ntk", "yarn", "llama3"};
constexpr std::array<std::string_view, 3> bias_words{"none", "alibi", "t5"};
constexpr std::array<std::string_view, 2> slope_words{"interleaved", "geometric"};
constexpr std::array<std::string_view, 3> row_words{"zero", "mean", "nan"};

template <class Visitor, class Rotary>
void visit_rotary(Visitor& fields, Rotary& rotary) {
  fields.integer("rotary_dim", rotary.dim);
  if (rotary.dim == 0) return;
  fields.word("rotary_layout", rotary.layout, layout_words);
  fields.real("rotary_base", rotary.base);
  fields.word("rotary_scaling", rotary.scaling, scaling_words);
  fields.real("rotary_factor", rotary.factor);
  fields.integer("rotary_original_positions", rotary.original_positions);
  fields.real("rotary_low_frequency_factor", rotary.low_frequency_factor);
  fields.real("rotary_high_frequency_factor", rotary.high_frequency_factor);
  fields.real("rotary_beta_fast", rotary.beta_fast);
  fields.real("rotary_beta_slow", rotary.beta_slow);
  fields.real("rotary_attention_factor", rotary.attention_factor);
}

template <class Visitor, class Bias>
void visit_bias(Visitor& fields, Bias& bias) {
  fields.word("position_bias", bias.kind, bias_words);
  if (bias.kind == PositionBias::none) return;
  fields.word("alibi_slopes_scheme", bias.slopes, slope_words);
  fields.real("alibi_max", bias.alibi_max);
  fields.flag("bidirectional", bias.bidirectional);
  fields.integer("max_distance", bias.max_distance);
}

// The one list of fields, for writing and for reading.
template <class Visitor, class Settings>
void visit(Visitor& fields, Settings& settings) {
  fields.text("family", settings.family);
  fields.integer("num_heads", settings.num_heads);
  fields.real("scale", settings.scale);
  fields.real("softcap", settings.softcap);
  fields.real("norm_epsilon", settings.norm_epsilon);
  fields.flag("add_zero_attention", settings.add_zero_attention);
  visit_rotary(fields, settings.rotary);
  visit_bias(fields, settings.position_bias);
  fields.reals("alibi_slopes", settings.alibi_slopes);
  if (fields.knows("rows_without_keys")) fields.word("rows_without_keys", settings.rows_without_keys, row_words);
}

struct Writer {
  std::vector<std::string> fields;

  static bool knows(const char*) { return true; }
  void add(const char* name, const std::string& value) { fields.push_back("\"" + std::string(name) + "\":" + value); }
  void text(const char* name, const std::string& value) { add(name, json(value).dump()); }
  void integer(const char* name, std::int64_t value) { add(name, json(value).dump()); }
  void real(const char* name, double value) { add(name, json(value).dump()); }
  void flag(const char* name, bool value) { add(name, json(value).dump()); }
  void reals(const char* name, const std::vector<float>& values) {
    std::vector<std::string> numbers;
    for (const float value : values) numbers.push_back(json(value).dump());
    add(name, "[" + join(numbers, ",") + "]");
  }
  template <class Enum, class Words>
  void word(const char* name, Enum value, const Words& words) {
    text(name, std::string(words[static_cast<std::size_t>(value)]));
  }
};

// Finds what is wrong first and reads on, so that no method needs a way out.
struct Reader {
  const FlatObject& object;
  std::string problem{};

  bool knows(const char* name) const { return object.has(name); }  // older files of this version lack some
  const json& find(const char* name) { return object.find(name).value; }
  void check(bool good, const char* name) {
    if (!good && problem.empty()) problem = name;
  }
  void text(const char* name, std::string& value) {
    const json& field = find(name);
    check(field.is_string(), name);
    if (field.is_string()) value = field.get<std::string>();
  }
  void integer(const char* name, std::int64_t& value) {
    const json& field = find(name);
    const bool good = field.is_number_unsigned() && field.get<std::uint64_t>() <= INT64_MAX;
    check(good, name);
    if (good) value = field.get<std::int64_t>();
  }
  template <class Number>
  void real(const char* name, Number& value) {
    const json& field = find(name);
    if (field.is_number()) value = static_cast<Number>(field.get<double>());
    check(field.is_number() && std::isfinite(value), name);
  }
  void flag(const char* name, bool& value) {
    const json& field = find(name);
    check(field.is_boolean(), name);
    if (field.is_boolean()) value = field.get<bool>();
  }
  void reals(const char* name, std::vector<float>& values) {
    check(find(name).is_array(), name);
    for (const json& number : object.find(name).items) {
      values.push_back(number.is_number() ? static_cast<float>(number.get<double>()) : NAN);
      check(std::isfinite(values.back()), name);
    }
  }
  template <class Enum, class Words>
  void word(const char* name, Enum& value, const Words& words) {
    const json& field = find(name);
    const auto found = std::find(words.begin(), words.end(), field.is_string() ? field.get<std::string>() : "");
    check(found != words.end(), name);
    if (found != words.end()) value = static_cast<Enum>(found - words.begin());
  }
};

LayerSettings settings_of(const AttentionWeights& weights, const std::string& family) {
  const AttentionConfig config = resolve(weights.config);
  LayerSettings settings{family,         config.num_heads,    *config.scale,
                         config.softcap, config.norm_epsilon, config.add_zero_attention,
                         config.rotary,  config.position_bias};
  settings.rows_without_keys = config.rows_without_keys;
  const Tensor& slopes = weights.alibi_slopes;
  if (slopes.given()) settings.alibi_slopes.assign(slopes.data(), slopes.data() + slopes.size());
  return settings;
}

}  // namespace

std::string settings_key(const std::string& prefix) {
  return "headwise.settings:" + prefix;
}

std::string settings_text(const AttentionWeights& weights, const std::string& family) {
  Writer fields;
  fields.integer("version", format_version);
  const LayerSettings settings = settings_of(weights, family);
  visit(fields, settings);
  return "{" + join(fields.fields, ",") + "}";
}

std::optional<LayerSettings> stored_settings(const WeightFile& file, const std::string& prefix) {
  const auto found = file.metadata().find(settings_key(prefix));
  if (found == file.metadata().end()) return std::nullopt;
  const std::string& text = found->second;
  const auto object = text.size() <= max_text ? parse_flat_object(text) : std::nullopt;
  if (!object) refuse_settings(file, prefix, "damaged");
  LayerSettings settings;
  std::int64_t version = 0;
  Reader fields{*object};
  fields.integer("version", version);
  if (version != format_version)
    refuse_settings(file, prefix, "of another version than " + std::to_string(format_version));
  visit(fields, settings);
  if (settings.num_heads == 0) fields.check(false, "num_heads");
  if (!fields.problem.empty()) refuse_settings(file, prefix, "damaged at " + fields.problem);
  return settings;
}

void refuse_settings(const WeightFile& file, const std::string& prefix, const std::string& problem) {
  throw Error(ErrorCode::bad_file, in_quotes(file.path()) + ": the stored settings of layer " + in_quotes(prefix) +
                                       " are " + problem + " (use_model_config = false loads it without them)");
}

LoadOptions fill_from_settings(const LoadOptions& options, const LayerSettings& settings) {
  LoadOptions filled = options;
  if (filled.num_heads == 0) filled.num_heads = settings.num_heads;
  if (!filled.scale) filled.scale = settings.scale;
  if (!filled.softcap) filled.softcap = settings.softcap;
  if (!filled.norm_epsilon) filled.norm_epsilon = settings.norm_epsilon;
  if (!filled.norm_plus_one) filled.norm_plus_one = false;  // norms are stored as they multiply
  if (!filled.rotary) filled.rotary = settings.rotary;
  if (!filled.position_bias) filled.position_bias = settings.position_bias;
  if (filled.rows_without_keys == RowsWithoutKeys::unspecified) filled.rows_without_keys = settings.rows_without_keys;
  filled.add_zero_attention |= settings.add_zero_attention;
  return filled;
}

}  // namespace headwise
