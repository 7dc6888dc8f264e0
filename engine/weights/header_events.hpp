// The JSON parser's events, turned into safetensors entries. Only safetensors_header.cpp uses this.
#pragma once

#include <nlohmann/json.hpp>

#include "safetensors_header.hpp"

namespace headwise {

// Receives the events of the JSON parser. It keeps a state instead of a tree, so memory stays in proportion to the
// tensors and no nesting can exhaust the stack. A method returns false to stop the parser.
class HeaderEvents : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit HeaderEvents(SafetensorsHeader& header) : header_(header) {}
  const std::string& problem() const { return problem_; }

  bool null() override { return state_ == State::metadata_or_null ? enter(State::tensors) : scalar("null"); }
  bool boolean(bool) override { return scalar("a boolean"); }
  bool number_integer(number_integer_t) override { return scalar("a negative number"); }
  bool number_float(number_float_t, const string_t&) override { return scalar("a number that is no 64-bit integer"); }
  bool number_unsigned(number_unsigned_t value) override;
  bool string(string_t& value) override;
  bool binary(binary_t&) override { return scalar("binary data"); }
  bool start_object(std::size_t) override;
  bool key(string_t& name) override;
  bool end_object() override;
  bool start_array(std::size_t) override;
  bool end_array() override;
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) override {
    return fail("the header is not valid JSON near its byte " + std::to_string(position));
  }

 private:
  enum class State {
    start,             // before the outer {
    tensors,           // expects the name of a tensor
    metadata_or_null,  // after the name __metadata__
    metadata,          // expects a key of the metadata
    metadata_value,
    entry,   // after the name of a tensor
    fields,  // expects a field of a tensor
    dtype_value,
    shape_value,
    shape,
    offsets_value,
    offsets,
    ignored_value,  // of a field that the format does not know
    ignored,        // inside such a value, until the depth is back
  };

  bool enter(State next) {
    state_ = next;
    return true;
  }
  bool fail(const std::string& problem) {
    if (problem_.empty()) problem_ = problem;
    return false;
  }
  bool fail_here(const std::string& problem) { return fail(place() + ": " + problem); }
  std::string place() const;
  bool deeper();
  bool scalar(const char* what);
  bool once(bool& seen, State next, const char* field);
  bool tensor_key(string_t& name);
  bool field_key(const string_t& name);
  bool finish_entry();
  TensorInfo& tensor() { return header_.tensors.back(); }

  SafetensorsHeader& header_;
  std::string problem_, metadata_key_;
  State state_ = State::start;
  int depth_ = 0, ignored_depth_ = 0;
  bool metadata_seen_ = false, dtype_seen_ = false, shape_seen_ = false, offsets_seen_ = false;
  std::vector<std::uint64_t> offsets_;
};

}  // namespace headwise
