#include "json_tree.hpp"

#include <algorithm>

#include "file_bytes.hpp"
#include "headwise/error.hpp"
#include "json_events.hpp"
#include "text.hpp"
#include "token_settings.hpp"

namespace headwise {
namespace {

using nlohmann::json;

class TreeEvents : public JsonEvents {
 public:
  TreeEvents(const std::vector<std::string>& wanted, JsonTree& tree) : wanted_(wanted), tree_(tree) {}

  std::string problem = "not valid JSON";

  bool number_unsigned(number_unsigned_t number) override {
    if (!in_vocabulary()) return value(number);
    tree_.vocabulary.push_back({std::move(key_), number});
    return tree_.vocabulary.size() <= max_vocabulary || fail("more than 4,194,304 tokens");
  }
  bool start_object(std::size_t) override { return open(json::object()); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool key(string_t& name) override {
    key_ = std::move(name);
    tree_.has_keys = true;
    if (ignored_ > 0 || in_vocabulary()) return true;
    ignored_ = ignores(key_) ? depth_ : 0;
    return ignored_ > 0 || !open_.back()->keys.contains(key_) || fail("duplicate key " + in_quotes(key_));
  }
  bool parse_error(std::size_t place, const std::string&, const json::exception&) override {
    return fail("not valid JSON, see byte " + std::to_string(place));
  }

 private:
  bool fail(std::string why) {
    problem = std::move(why);
    return false;
  }
  bool in_model() const { return depth_ == 2 && model_is_open_; }
  bool in_vocabulary() const { return vocabulary_ > 0; }
  bool ignores(const std::string& name) const {
    if (depth_ == 1 && wanted_.empty()) return false;
    if (depth_ == 1) return std::find(wanted_.begin(), wanted_.end(), name) == wanted_.end();
    return in_model() && name == "merges";
  }

  bool value(json given) override {
    if (ignored_ > 0) return leave_ignored();
    if (in_vocabulary()) return fail("the id of token " + in_quotes(key_) + " is no number above or equal to zero");
    if (open_.empty()) return fail("neither a JSON object nor an array");
    return put(std::move(given)) != nullptr;
  }
  // Where a value that is not wanted ends.
  bool leave_ignored() {
    if (ignored_ == depth_) ignored_ = 0;
    return true;
  }
  JsonNode* put(json given) {
    if (++values_ > max_json_values) {
      fail("more than 262,144 values beside the vocabulary");
      return nullptr;
    }
    JsonNode& parent = *open_.back();
    if (parent.value.is_object()) parent.keys.emplace(key_, parent.items.size());
    return &parent.items.emplace_back(JsonNode{std::move(given)});
  }

  bool open(json given) {
    if (depth_ >= max_json_depth) return fail("nests deeper than 64");
    if (depth_ == 0) {
      tree_.root.value = std::move(given);
      open_.push_back(&tree_.root);
    } else if (in_vocabulary()) {
      return value(nullptr);
    } else if (ignored_ == 0 && in_model() && key_ == "vocab") {
      (given.is_object() ? vocabulary_ : ignored_) = depth_;
      if (put(given.is_object() ? json::object() : json::array()) == nullptr) return false;
    } else if (ignored_ == 0) {
      JsonNode* placed = put(std::move(given));
      if (placed == nullptr) return false;
      if (depth_ == 1) model_is_open_ = key_ == "model";
      open_.push_back(placed);
    }
    ++depth_;
    return true;
  }
  bool close() override {
    --depth_;
    if (in_vocabulary()) {
      vocabulary_ = 0;
    } else if (ignored_ > 0) {
      return leave_ignored();
    } else {
      open_.pop_back();
    }
    return true;
  }

  const std::vector<std::string>& wanted_;
  JsonTree& tree_;
  std::vector<JsonNode*> open_;  // from the root to where values go
  bool model_is_open_ = false;
  std::string key_;
  std::size_t depth_ = 0, values_ = 0;
  // The depth at which a key began whose value is stepped over or is the vocabulary; 0: none.
  std::size_t ignored_ = 0, vocabulary_ = 0;
};

// A NUL, which the parser takes for the end, and a byte-order mark, which it skips, could hide content.
bool is_plain(std::string_view text) {
  return !text.starts_with("\xEF\xBB\xBF") && text.find('\0') == std::string_view::npos;
}

}  // namespace

JsonTree parse_json_tree(const std::string& path, const std::string& text, const std::vector<std::string>& wanted) {
  JsonTree tree;
  TreeEvents events(wanted, tree);
  const bool good = is_plain(text) && json::sax_parse(text, &events);
  if (!good) throw Error(ErrorCode::bad_file, in_quotes(path) + ": " + events.problem);
  return tree;
}

JsonTree read_json_tree(const std::string& path, std::uint64_t most, const std::vector<std::string>& wanted) {
  return parse_json_tree(path, read_text(path, most), wanted);
}

}  // namespace headwise
