#include "sentence_modules.hpp"

#include <filesystem>

#include "json_tree.hpp"
#include "json_values.hpp"
#include "sentence_files.hpp"
#include "text.hpp"

namespace headwise {
namespace {

const std::vector<std::string> pooling_keys{"pooling_mode_cls_token",
                                            "pooling_mode_mean_tokens",
                                            "pooling_mode_max_tokens",
                                            "pooling_mode_mean_sqrt_len_tokens",
                                            "pooling_mode_weightedmean_tokens",
                                            "pooling_mode_lasttoken",
                                            "pooling_mode",
                                            "include_prompt"};

// The ways of pooling by their keys; sentence-transformers puts several side by side, headwise takes one.
constexpr struct {
  const char* key;
  std::optional<Pooling> pooling;
} modes[] = {{"pooling_mode_cls_token", Pooling::cls},           {"pooling_mode_mean_tokens", Pooling::mean},
             {"pooling_mode_max_tokens", Pooling::max},          {"pooling_mode_mean_sqrt_len_tokens", std::nullopt},
             {"pooling_mode_weightedmean_tokens", std::nullopt}, {"pooling_mode_lasttoken", std::nullopt}};

// The one key of newer versions.
Pooling pooling_by_name(const JsonObject& config, const std::string& name) {
  if (name == "mean") return Pooling::mean;
  if (name == "cls") return Pooling::cls;
  if (name == "max") return Pooling::max;
  config.refuse("asks for the pooling_mode " + in_quotes(name) + ", which headwise has not", ErrorCode::unsupported);
}

Pooling pooling_of(const JsonObject& config) {
  std::optional<Pooling> found;
  for (const auto& mode : modes) {
    if (!config.flag(mode.key, false)) continue;
    if (!mode.pooling)
      config.refuse(std::string("asks for ") + mode.key + ", which headwise has not", ErrorCode::unsupported);
    if (found) config.refuse("asks for several ways of pooling at once", ErrorCode::unsupported);
    found = mode.pooling;
  }
  if (!config.flag("include_prompt", true)) config.refuse("leaves the prompt out of pooling", ErrorCode::unsupported);
  if (const auto mode = config.text("pooling_mode")) found = pooling_by_name(config, *mode);
  if (!found) config.refuse("asks for no way of pooling");
  return *found;
}

void read_pooling(const std::string& folder, const std::string& name, SentenceSettings& to) {
  to.pooling_source = name + "/config.json";
  const auto file = SentenceFile::open(folder, to.pooling_source, pooling_keys);
  if (!file) {
    throw Error(ErrorCode::bad_file,
                in_quotes(folder) + ": modules.json names " + in_quotes(to.pooling_source) + ", which is not there");
  }
  to.pooling = pooling_of(file->object());
}

// A folder beside modules.json, and nothing beyond. A NUL would end the name for the system, not for us.
bool is_plain_name(const std::string& name) {
  return !name.empty() && name[0] != '.' && name.find_first_of(std::string_view("/\0", 2)) == std::string::npos;
}

// The last part of "sentence_transformers.models.Pooling".
std::string kind_of(const std::string& type) {
  return type.substr(type.rfind('.') + 1);
}

void read_module(const std::string& folder, const JsonObject& module, SentenceSettings& to) {
  const std::string kind = kind_of(module.text("type").value_or(""));
  if (kind == "Transformer") {
    if (!module.text("path").value_or("").empty()) {
      module.refuse("keeps the Transformer in a folder of its own", ErrorCode::unsupported);
    }
  } else if (kind == "Pooling") {
    const std::string name = module.text("path").value_or("");
    if (!to.pooling_source.empty()) module.refuse("is a second Pooling", ErrorCode::unsupported);
    if (!is_plain_name(name)) module.refuse("has a path that is no plain name");
    read_pooling(folder, name, to);
  } else if (kind == "Normalize") {
    to.normalize = true;
    to.normalize_source = "modules.json";
  } else {
    module.refuse("is a " + in_quotes(kind) + ", which headwise has not", ErrorCode::unsupported);
  }
}

}  // namespace

void read_modules(const std::string& folder, SentenceSettings& to) {
  const auto file = SentenceFile::open(folder, "modules.json", {});
  if (!file) return;
  if (!file->root().value.is_array()) throw Error(ErrorCode::bad_file, in_quotes(file->path()) + ": no JSON array");
  for (const JsonNode& node : file->root().items) read_module(folder, JsonObject(file->path(), "a module", node), to);
  if (to.pooling_source.empty()) {
    throw Error(ErrorCode::unsupported,
                in_quotes(file->path()) + ": has no Pooling, so it makes no embedding of a text");
  }
  if (!to.normalize) to.normalize_source = "modules.json";
}

}  // namespace headwise
