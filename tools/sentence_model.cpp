#include "sentence_model.hpp"

#include <CLI/CLI.hpp>

#include "layer_options.hpp"
#include "option_types.hpp"
#include "text.hpp"

namespace headwise::tools {
namespace {

constexpr std::int64_t longest = 1 << 24;

const Choices<Pooling> poolings{{"mean", Pooling::mean}, {"cls", Pooling::cls}, {"max", Pooling::max}};

SentenceSettings settings_for(const SentenceOptions& options) {
  SentenceSettings settings = read_sentence_settings(options.folder);
  const auto take = [](auto& target, std::string& source, const auto& given) {
    if (!given) return;
    target = *given;
    source = "the command line";
  };
  take(settings.pooling, settings.pooling_source, options.pooling);
  take(settings.normalize, settings.normalize_source, options.normalize);
  take(settings.prompt, settings.prompt_source, options.prompt);
  const auto length = options.max_length > 0 ? std::optional(options.max_length) : std::nullopt;
  take(settings.max_length, settings.max_length_source, length);
  return settings;
}

void check_given_length(std::int64_t length, std::int64_t most, std::int64_t special) {
  const std::string start = "--max-length " + std::to_string(length);
  if (length > most) {
    throw UsageError(start + " is more than the " + std::to_string(most) + " tokens that the model takes");
  }
  if (length <= special) {
    throw UsageError(start + " leaves no room for a text beside " + plural(special, "special token"));
  }
}

EncoderOptions encoder_options(const SentenceOptions& options) {
  EncoderOptions result;
  result.isa = checked_isa(options.isa);
  return result;
}

void add_running(CLI::App& app, SentenceOptions& options) {
  constexpr auto group = "How to run";
  add_integer(app, "--threads", options.session.threads, 0, Session::max_threads,
              "Threads (default 0: what affinity and quota allow)")
      ->group(group);
  add_choice<std::string>(app, "--isa", options.isa, isa_choices(),
                          "Kernels to use (default: HEADWISE_ISA, then the fastest)")
      ->group(group);
}

}  // namespace

void add_sentence_options(CLI::App& app, SentenceOptions& options) {
  constexpr auto group = "How texts become embeddings (default: as the folder says)";
  add_path(app, "MODEL_DIR", options.folder, "Folder with config.json, weights and tokenizer.json or vocab.txt")
      ->required();
  add_choice_function<Pooling>(
      app, "--pooling", [&options](Pooling pooling) { options.pooling = pooling; }, poolings,
      "One embedding of all tokens: their mean, the first one, or the largest of each feature")
      ->group(group);
  CLI::Option* yes = app.add_flag_callback(
      "--normalize", [&options] { options.normalize = true; }, "Divide embeddings by their Euclidean norm");
  CLI::Option* no = app.add_flag_callback(
      "--no-normalize", [&options] { options.normalize = false; }, "Leave embeddings as they are");
  yes->group(group)->option_text(" ")->excludes(no);
  no->group(group)->option_text(" ");
  add_integer<std::int64_t>(app, "--max-length", options.max_length, 1, longest,
                            "Tokens of a text, special ones too; longer texts are cut")
      ->group(group);
  app.add_option_function<std::string>(
         "--prompt", [&options](const std::string& text) { options.prompt = text; },
         "Stands before every text, such as 'query: '")
      ->option_text("TEXT")
      ->group(group);
  add_running(app, options);
}

const char* pooling_word(Pooling pooling) {
  for (const auto& [word, value] : poolings) {
    if (value == pooling) return word.c_str();
  }
  return "";
}

SentenceModel::SentenceModel(const SentenceOptions& options, const Console& console)
    : folder_(options.folder),
      model_(load_text_model(options.folder, encoder_options(options), console)),
      settings_(settings_for(options)),
      session_(model_.encoder, options.session) {
  check_sizes(options);
}

void SentenceModel::check_sizes(const SentenceOptions& options) {
  const std::int64_t most = model_.encoder.config().max_length();
  const std::int64_t special = model_.tokenizer.encode("", {.max_length = longest}).full_length;
  if (options.max_length > 0) check_given_length(options.max_length, most, special);
  if (settings_.max_length > most) {
    settings_.max_length = most;
    settings_.max_length_source = "config.json";
  }
  const char* advice = most > special ? "; --max-length sets another" : "";
  check_room(options.folder, {settings_.max_length, settings_.max_length_source, advice}, special);
}

Encoding SentenceModel::encode(const std::string& text) {
  Encoding encoding = model_.tokenizer.encode(settings_.prompt.empty() ? text : settings_.prompt + text,
                                              {.max_length = settings_.max_length});
  check_token_types(folder_, model_.encoder.config(), encoding);
  ++texts_;
  tokens_ += static_cast<std::int64_t>(encoding.ids.size());
  cut_ += encoding.full_length > static_cast<std::int64_t>(encoding.ids.size());
  return encoding;
}

Tensor SentenceModel::embed(const std::vector<const Encoding*>& texts) {
  std::vector<std::int64_t> ids, types, lengths{0};
  for (const Encoding* text : texts) {
    ids.insert(ids.end(), text->ids.begin(), text->ids.end());
    types.insert(types.end(), text->token_types.begin(), text->token_types.end());
    lengths.push_back(static_cast<std::int64_t>(ids.size()));
  }
  const auto view = [](const std::vector<std::int64_t>& list) {
    return TensorView(list.data(), DType::i64, {static_cast<std::int64_t>(list.size())});
  };
  Tensor result({static_cast<std::int64_t>(texts.size()), dimension()});
  EncoderInputs inputs{.token_ids = view(ids), .cumulative_lengths = view(lengths)};
  if (model_.encoder.config().num_token_types > 0) inputs.token_types = view(types);
  session_.run(inputs, {.embedding = result, .pooling = settings_.pooling, .normalize = settings_.normalize});
  nonfinite_ += count_nonfinite(result);
  return result;
}

void SentenceModel::note_assumptions(const Console& console, SentenceUse use) const {
  if (!settings_.pooling_source.empty()) return;
  const bool lengths = use == SentenceUse::embedding;
  const std::string normalized = settings_.normalize ? ", normalized" : ", not normalized";
  console.note(folder_ + " says nothing about pooling (no modules.json), so this takes the " +
               pooling_word(settings_.pooling) + " of all tokens" + (lengths ? normalized : "") +
               ", as sentence-transformers does; --pooling " +
               (lengths ? "and --normalize change that" : "changes that"));
}

void SentenceModel::note_results(const Console& console) const {
  if (nonfinite_.any()) console.note("the embeddings hold " + to_text(nonfinite_));
  if (cut_ == 0) return;
  console.note(std::to_string(cut_) + " of " + plural(texts_, "text") + (cut_ == 1 ? " was" : " were") +
               " longer than " + plural(settings_.max_length, "token") + " and cut");
}

}  // namespace headwise::tools
