// Texts to embeddings in bounded memory: windows of texts are sorted by length, cut into batches and given back in
// order.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "sentence_model.hpp"
#include "text_source.hpp"

namespace headwise::tools {

// Takes the embedding of each text, in the order of the texts.
using EmbeddingSink = std::function<void(const std::string& text, std::span<const float> embedding)>;

void embed_all(TextSource& source, SentenceModel& model, const Console& console, const EmbeddingSink& sink);

}  // namespace headwise::tools
