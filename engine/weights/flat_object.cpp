#include "flat_object.hpp"

#include "text.hpp"

namespace headwise {
namespace {

using nlohmann::json;

// Steps over what is deeper than the items of a list. A method returns false to stop the parser.
class FlatEvents : public nlohmann::json_sax<json> {
 public:
  FlatObject object;

  bool null() override { return add(nullptr); }
  bool boolean(bool given) override { return add(given); }
  bool number_integer(number_integer_t number) override { return add(number); }
  bool number_unsigned(number_unsigned_t number) override { return add(number); }
  bool number_float(number_float_t number, const string_t&) override { return add(number); }
  bool string(string_t& text) override { return add(text); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override {
    if (depth_ > 0) add(json::object());
    ++depth_;
    return true;
  }
  bool start_array(std::size_t) override {
    add(json::array());
    in_list_ = in_list_ || depth_ == 1;
    ++depth_;
    return true;
  }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    if (depth_ != 1) return true;
    const auto [entry, added] = object.entries.insert_or_assign(name, FlatValue{});
    if (!added) object.repeated = name;
    entry_ = &entry->second;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const json::exception&) override { return false; }

 private:
  bool add(json value) {
    if (depth_ == 1) entry_->value = std::move(value);
    if (depth_ == 2 && in_list_) entry_->items.push_back(std::move(value));
    return true;
  }
  bool close() {
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
