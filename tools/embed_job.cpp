#include "embed_job.hpp"

#include <algorithm>
#include <numeric>

namespace headwise::tools {
namespace {

// Rows of a batch fill the caches of a few threads; a window is sorted, so that the sequences of a batch end together.
constexpr std::size_t batch_tokens = 4096, window_tokens = 16 * batch_tokens, window_texts = 8192;
constexpr std::size_t window_bytes = std::size_t{64} << 20;

struct Window {
  std::vector<std::string> texts;
  std::vector<Encoding> encodings;
  std::size_t tokens = 0, bytes = 0;

  bool full() const { return tokens >= window_tokens || texts.size() >= window_texts || bytes >= window_bytes; }
};

// Somebody who writes a line and waits for its answer gets it.
Window read_window(TextSource& source, SentenceModel& model) {
  Window window;
  while (!window.full() && (window.texts.empty() || !source.waits())) {
    auto text = source.next();
    if (!text) break;
    window.encodings.push_back(model.encode(*text));
    window.tokens += window.encodings.back().ids.size();
    window.bytes += text->size();
    window.texts.push_back(std::move(*text));
  }
  return window;
}

// Ends of the batches in a sorted window.
std::vector<std::size_t> batch_ends(const Window& window, const std::vector<std::size_t>& order) {
  std::vector<std::size_t> ends;
  std::size_t tokens = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t length = window.encodings[order[i]].ids.size();
    if (tokens > 0 && tokens + length > batch_tokens) {
      ends.push_back(i);
      tokens = 0;
    }
    tokens += length;
  }
  ends.push_back(order.size());
  return ends;
}

// Tells how much of the window is done, from 0 to 1.
using ShareSink = std::function<void(double)>;

void embed_window(const Window& window, SentenceModel& model, const EmbeddingSink& sink, const ShareSink& progress) {
  std::vector<std::size_t> order(window.texts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return window.encodings[a].ids.size() > window.encodings[b].ids.size();
  });
  const auto dimension = static_cast<std::size_t>(model.dimension());
  std::vector<float> rows(order.size() * dimension);
  std::size_t begin = 0;
  for (const std::size_t end : batch_ends(window, order)) {
    std::vector<const Encoding*> batch;
    for (std::size_t i = begin; i < end; ++i) batch.push_back(&window.encodings[order[i]]);
    const Tensor embeddings = model.embed(batch);
    for (std::size_t i = begin; i < end; ++i) {
      std::copy_n(embeddings.data() + (i - begin) * dimension, dimension, rows.data() + order[i] * dimension);
    }
    begin = end;
    progress(static_cast<double>(end) / static_cast<double>(order.size()));
  }
  for (std::size_t i = 0; i < window.texts.size(); ++i) sink(window.texts[i], {rows.data() + i * dimension, dimension});
}

}  // namespace

void embed_all(TextSource& source, SentenceModel& model, const Console& console, const EmbeddingSink& sink) {
  ProgressBar bar(console, "embedding");
  for (;;) {
    const auto before = static_cast<double>(source.done());
    const Window window = read_window(source, model);
    if (window.texts.empty()) return;
    const double read = static_cast<double>(source.done()) - before;
    embed_window(window, model, sink,
                 [&](double share) { bar.update(static_cast<std::uint64_t>(before + share * read), source.total()); });
  }
}

}  // namespace headwise::tools
