#include "view_page.hpp"

#include <string_view>

#include "base64.hpp"
#include "text.hpp"
#include "view_data.hpp"
#include "view_parts.hpp"
#include "weight_codes.hpp"

namespace headwise::tools {
namespace {

// 270 MB of page. A text of 512 tokens has 19 million weights in 6 × 12 heads, 75 in 24 × 12.
constexpr std::int64_t most_weights = 100'000'000;
constexpr std::size_t large_page = 20'000'000;

// Only the style and the script of this very build may run, whatever a token or a text says.
std::string policy() {
  const auto hash = [](const ViewPart& part) { return "'sha256-" + base64(bytes_of_hex(part.sha256)) + "'"; };
  return "default-src 'none'; style-src " + hash(view_style) + "; script-src " + hash(view_script) +
         "; base-uri 'none'; form-action 'none'";
}

// The page is in order: each mark is looked for behind the one before it, so that no text can pass for one.
class Template {
 public:
  explicit Template(std::string_view text) : rest_(text) {}
  void fill(std::string_view mark, const std::string& text) {
    const std::size_t at = rest_.find(mark);
    page_ += rest_.substr(0, at);
    page_ += text;
    rest_.remove_prefix(at + mark.size());
  }
  std::string finish() { return std::move(page_) + std::string(rest_); }

 private:
  std::string_view rest_;
  std::string page_;
};

std::string weight_blocks(const HeadWeights& weights) {
  std::string html;
  for (std::size_t layer = 0; layer < weights.layers.size(); ++layer) {
    for (std::size_t head = 0; head < static_cast<std::size_t>(weights.heads); ++head) {
      const std::string name = std::to_string(layer) + "-" + std::to_string(head);
      html += "<script type=\"text/plain\" id=\"weights-" + name + "\">";
      html += weight_block(weights.weights(layer, head), weights.count() * weights.count()) + "</script>\n";
    }
  }
  return html;
}

}  // namespace

void check_page_size(const HeadWeights& weights) {
  if (weights.attention.size() <= most_weights) return;
  throw CommandError(
      "a page of " + std::to_string(weights.attention.size() / 1'000'000) +
      " million weights is more than browsers take (100 million); choose fewer with --layers, or cut the "
      "text");
}

void note_large_page(std::size_t bytes, const Console& console) {
  if (bytes <= large_page) return;
  console.note("the page has " + byte_text(bytes) +
               ", which browsers need time and memory for; fewer layers or a shorter text make it smaller");
}

std::string view_page(const HeadWeights& weights) {
  Template page(view_html.text);
  page.fill("<!--policy-->", policy());
  page.fill("<!--style-->", std::string("<style>") + view_style.text + "</style>");
  page.fill("<!--data-->", "<script type=\"application/json\" id=\"data\">" + view_data(weights) + "</script>");
  page.fill("<!--script-->", std::string("<script>") + view_script.text + "</script>");
  page.fill("<!--weights-->", weight_blocks(weights));
  return page.finish();
}

}  // namespace headwise::tools
