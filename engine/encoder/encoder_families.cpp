#include "encoder_families.hpp"

#include <algorithm>
#include <iterator>

namespace headwise::encoder {

namespace {

constexpr Family bert{"bert",
                      "bert electra",
                      "embeddings.word_embeddings.weight",
                      "embeddings.position_embeddings.weight",
                      "embeddings.token_type_embeddings.weight",
                      "embeddings.LayerNorm",
                      "encoder.layer.",
                      "attention.",
                      "self.query",
                      "self.key",
                      "self.value",
                      "output.dense",
                      "attention.output.LayerNorm",
                      "output.LayerNorm",
                      "intermediate.dense",
                      "output.dense",
                      "hidden_size",
                      "num_hidden_layers",
                      "intermediate_size",
                      "hidden_act"};

// The same tensors, other positions.
constexpr Family roberta = [] {
  Family family = bert;
  family.name = "roberta";
  family.model_types = "roberta xlm-roberta camembert";
  family.positions_after_padding = true;
  return family;
}();

constexpr Family distilbert{"distilbert",
                            "distilbert",
                            "embeddings.word_embeddings.weight",
                            "embeddings.position_embeddings.weight",
                            "",
                            "embeddings.LayerNorm",
                            "transformer.layer.",
                            "attention.",
                            "q_lin",
                            "k_lin",
                            "v_lin",
                            "out_lin",
                            "sa_layer_norm",
                            "output_layer_norm",
                            "ffn.lin1",
                            "ffn.lin2",
                            "dim",
                            "n_layers",
                            "hidden_dim",
                            "activation"};

constexpr const Family* families[] = {&bert, &roberta, &distilbert};

// Is `word` one of those that blanks separate?
bool has_word(std::string_view words, std::string_view word) noexcept {
  for (std::size_t at = 0; at <= words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    if (words.substr(at, end - at) == word) return true;
    at = end + 1;
  }
  return false;
}

}  // namespace

const Family* find_family(std::string_view model_type) noexcept {
  const auto found = std::find_if(std::begin(families), std::end(families),
                                  [&](const Family* family) { return has_word(family->model_types, model_type); });
  return found == std::end(families) ? nullptr : *found;
}

std::string_view known_model_types() noexcept {
  return "bert, electra, roberta, xlm-roberta, camembert and distilbert";
}

}  // namespace headwise::encoder
