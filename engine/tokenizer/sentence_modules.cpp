#include "sentence_modules.hpp"

#include <algorithm>
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
                                            "embedding_dimension",
                                            "word_embedding_dimension",
                                            "include_prompt"};

// The ways of pooling by their names, and by the flags of older versions.
constexpr struct Mode {
  const char *name, *flag;
  std::optional<Pooling> pooling;
} modes[] = {{"cls", "pooling_mode_cls_token", Pooling::cls},
             {"max", "pooling_mode_max_tokens", Pooling::max},
             {"mean", "pooling_mode_mean_tokens", Pooling::mean},
             {"mean_sqrt_len_tokens", "pooling_mode_mean_sqrt_len_tokens", std::nullopt},
             {"weightedmean", "pooling_mode_weightedmean_tokens", std::nullopt},
             {"lasttoken", "pooling_mode_lasttoken", std::nullopt}};

struct AskedMode {
  std::string words;  // for messages
  std::optional<Pooling> pooling;
};

AskedMode named_mode(const JsonObject& config, const nlohmann::json& name) {
  if (!name.is_string()) config.refuse("has a pooling_mode that is neither a text nor a list of texts");
  const auto known =
      std::find_if(std::begin(modes), std::end(modes), [&](const Mode& mode) { return name == mode.name; });
  return {"the pooling_mode " + in_quotes(name.get<std::string>()),
          known == std::end(modes) ? std::nullopt : known->pooling};
}

std::vector<AskedMode> named_modes(const JsonObject& config, const nlohmann::json& names) {
  if (!names.is_array()) return {named_mode(config, names)};
  std::vector<AskedMode> asked;
  for (const JsonNode& name : config.array("pooling_mode")) asked.push_back(named_mode(config, name.value));
  return asked;
}

std::vector<AskedMode> flagged_modes(const JsonObject& config) {
  std::vector<AskedMode> asked;
  for (const Mode& mode : modes) {
    if (config.flag(mode.flag, false)) asked.push_back({mode.flag, mode.pooling});
  }
  if (asked.empty()) asked.push_back({"", Pooling::mean});
  return asked;
}

// As sentence-transformers reads it: pooling_mode before all flags, and the mean where no flag is set. It puts several
// ways side by side; headwise takes one.
Pooling pooling_of(const JsonObject& config) {
  if (config.node().keys.empty()) config.refuse("says nothing of a Pooling");
  if (!config.flag("include_prompt", true)) config.refuse("leaves the prompt out of pooling", ErrorCode::unsupported);
  const nlohmann::json* names = config.find("pooling_mode");
  const auto asked = names == nullptr ? flagged_modes(config) : named_modes(config, *names);
  if (asked.empty()) config.refuse("asks for no way of pooling");
  if (asked.size() > 1) config.refuse("asks for several ways of pooling at once", ErrorCode::unsupported);
  if (asked[0].pooling) return *asked[0].pooling;
  config.refuse("asks for " + asked[0].words + ", which headwise has not", ErrorCode::unsupported);
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
