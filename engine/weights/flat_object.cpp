#include "flat_object.hpp"

#include "json_events.hpp"
#include "text.hpp"

namespace headwise {
namespace {

using nlohmann::json;

// Steps over what is deeper than the items of a list.
class FlatEvents : public JsonEvents {
 public:
  FlatObject object;

  bool start_object(std::size_t) override {
    if (depth_ > 0) value(json::object());
    ++depth_;
    return true;
  }
  bool start_array(std::size_t) override {
    value(json::array());
    in_list_ = in_list_ || depth_ == 1;
    ++depth_;
    return true;
  }
  bool key(string_t& name) override {
    if (depth_ != 1) return true;
    const auto [entry, added] = object.entries.insert_or_assign(name, FlatValue{});
    if (!added) object.repeated = name;
    entry_ = &entry->second;
    return true;
  }

 private:
  bool value(json given) override {
    if (depth_ == 1) entry_->value = std::move(given);
    if (depth_ == 2 && in_list_) entry_->items.push_back(std::move(given));
    return true;
  }
  bool close() override {
    if (--depth_ == 1) in_list_ = false;
    return true;
  }

  FlatValue* entry_ = nullptr;
  std::size_t depth_ = 0;
  bool in_list_ = false;
};

}  // namespace

const FlatValue& FlatObject::find(const std::string& name) const {
  static const FlatValue missing;
  const auto found = entries.find(name);
  return found == entries.end() ? missing : found->second;
}

std::optional<FlatObject> parse_flat_object(std::string_view text) {
  FlatEvents events;
  if (object_problem(text) != nullptr || !json::sax_parse(text.begin(), text.end(), &events)) return std::nullopt;
  return std::move(events.object);
}

}  // namespace headwise
