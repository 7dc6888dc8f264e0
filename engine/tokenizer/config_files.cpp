#include "config_files.hpp"

namespace headwise {
namespace {

const std::vector<std::string> wanted{"model_max_length",
                                      "tokenizer_class",
                                      "do_lower_case",
                                      "strip_accents",
                                      "tokenize_chinese_chars",
                                      "added_tokens_decoder",
                                      "additional_special_tokens",
                                      "extra_special_tokens",
                                      "bos_token",
                                      "eos_token",
                                      "unk_token",
                                      "sep_token",
                                      "pad_token",
                                      "cls_token",
                                      "mask_token"};

// Only where transformers 4 and 5 agree; other classes leave tokenizer.json as it is.
constexpr struct {
  const char *name, *model;  // of the class, without "Tokenizer", and the model_type that stands for it
  bool has_tokens;
} classes[] = {{"Bert", "bert", true},
               {"Bert", "nomic_bert", true},
               {"DistilBert", "distilbert", true},
               {"Electra", "electra", true},
               {"MobileBert", "mobilebert", true},
               {"SqueezeBert", "squeezebert", true},
               {"LayoutLM", "layoutlm", true},
               {"Lxmert", "lxmert", true},
               {"", "convbert", true},  // its own class only cleans in transformers 4
               {"MPNet", "mpnet", false},
               {"Splinter", "splinter", false}};

bool is_class(const std::string& given, const std::string& name) {
  return given == name + "Tokenizer" || given == name + "TokenizerFast";
}

TokenizerClass named_class(const SentenceFile& file, const std::string& name) {
  TokenizerClass result{name, file.path()};
  for (const auto& known : classes) {
    if (!is_class(name, known.name)) continue;
    result.cleans = true;
    result.has_tokens = known.has_tokens;
  }
  return result;
}

TokenizerClass class_of_model(const SentenceFile& file, const std::string& model_type) {
  for (const auto& known : classes) {
    if (model_type == known.model) return {known.name + std::string("Tokenizer"), file.path(), true, known.has_tokens};
  }
  return {};
}

TokenizerClass find_class(const std::string& folder, const std::optional<SentenceFile>& config) {
  const auto name = config ? config->object().text("tokenizer_class") : std::nullopt;
  if (name) return named_class(*config, *name);
  const auto model = SentenceFile::open(folder, "config.json", {"tokenizer_class", "model_type"});
  if (!model) return {};
  if (const auto of_model = model->object().text("tokenizer_class")) return named_class(*model, *of_model);
  return class_of_model(*model, model->object().text("model_type").value_or(""));
}

}  // namespace

ConfigFiles open_config_files(const std::string& folder) {
  ConfigFiles files;
  files.config = SentenceFile::open(folder, "tokenizer_config.json", wanted);
  files.kind = find_class(folder, files.config);
  if (files.config && files.config->object().find("added_tokens_decoder") != nullptr) return files;
  files.special_map = SentenceFile::open(folder, "special_tokens_map.json", wanted);
  files.added = SentenceFile::open(folder, "added_tokens.json", {});
  return files;
}

void read_cleaning(const ConfigFiles& files, NormalizerSettings& to) {
  const auto flag = [&](const char* key) {
    return files.config ? files.config->object().flag(key) : std::optional<bool>();
  };
  to.lowercase = flag("do_lower_case").value_or(true);
  to.strip_accents = flag("strip_accents").value_or(to.lowercase);
  to.handle_chinese_chars = flag("tokenize_chinese_chars").value_or(true);
}

}  // namespace headwise
