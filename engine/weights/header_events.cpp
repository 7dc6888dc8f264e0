#include "header_events.hpp"

#include "text.hpp"

namespace headwise {
namespace {

constexpr int max_depth = 127;  // as the reference reader's; deeper nesting is an attack

}  // namespace

std::string HeaderEvents::place() const {
  switch (state_) {
    case State::start:
    case State::tensors:
      return "the header";
    case State::metadata_or_null:
    case State::metadata:
    case State::metadata_value:
      return "__metadata__";
    default:
      return "tensor " + in_quotes(header_.tensors.back().name);
  }
}

bool HeaderEvents::deeper() {
  return ++depth_ <= max_depth || fail("the header nests deeper than " + std::to_string(max_depth));
}

// A value that may stand only where its content does not matter.
bool HeaderEvents::scalar(const char* what) {
  switch (state_) {
    case State::ignored:
      return true;
    case State::ignored_value:
      return enter(State::fields);
    case State::metadata_value:
      return fail_here("the value of " + in_quotes(metadata_key_) + " is no string but " + what);
    case State::dtype_value:
      return fail_here(std::string("dtype is no string but ") + what);
    case State::shape:
      return fail_here(std::string("shape holds ") + what + ", not a size");
    case State::offsets:
      return fail_here(std::string("data_offsets holds ") + what + ", not an offset");
    case State::shape_value:
      return fail_here(std::string("shape is no array but ") + what);
    case State::offsets_value:
      return fail_here(std::string("data_offsets is no array but ") + what);
    default:
      return fail_here(std::string("expected an object, found ") + what);
  }
}

bool HeaderEvents::number_unsigned(number_unsigned_t value) {
  if (state_ == State::shape) {
    tensor().shape.push_back(value);
    return true;
  }
  if (state_ != State::offsets) return scalar("a number");
  offsets_.push_back(value);
  return offsets_.size() <= 2 || fail_here("data_offsets has more than two numbers");
}

bool HeaderEvents::string(string_t& value) {
  if (state_ == State::dtype_value) {
    tensor().dtype = std::move(value);
    return enter(State::fields);
  }
  if (state_ != State::metadata_value) return scalar("a string");
  if (!header_.metadata.emplace(metadata_key_, std::move(value)).second) {
    return fail_here("duplicate key " + in_quotes(metadata_key_));
  }
  return enter(State::metadata);
}

bool HeaderEvents::start_object(std::size_t) {
  if (!deeper()) return false;
  switch (state_) {
    case State::start:
      return enter(State::tensors);
    case State::metadata_or_null:
      return enter(State::metadata);
    case State::entry:
      dtype_seen_ = shape_seen_ = offsets_seen_ = false;
      return enter(State::fields);
    case State::ignored_value:
      ignored_depth_ = depth_;
      return enter(State::ignored);
    default:
      return scalar("an object");
  }
}

bool HeaderEvents::start_array(std::size_t) {
  if (!deeper()) return false;
  switch (state_) {
    case State::shape_value:
      return enter(State::shape);
    case State::offsets_value:
      offsets_.clear();
      return enter(State::offsets);
    case State::ignored_value:
      ignored_depth_ = depth_;
      return enter(State::ignored);
    default:
      return scalar("an array");
  }
}

bool HeaderEvents::key(string_t& name) {
  switch (state_) {
    case State::tensors:
      return tensor_key(name);
    case State::metadata:
      metadata_key_ = std::move(name);
      return enter(State::metadata_value);
    case State::fields:
      return field_key(name);
    default:
      return true;  // inside an ignored value
  }
}

bool HeaderEvents::tensor_key(string_t& name) {
  if (name == "__metadata__") return once(metadata_seen_, State::metadata_or_null, "__metadata__");
  header_.tensors.emplace_back();
  tensor().name = std::move(name);
  return enter(State::entry);
}

bool HeaderEvents::field_key(const string_t& name) {
  if (name == "dtype") return once(dtype_seen_, State::dtype_value, "dtype");
  if (name == "shape") return once(shape_seen_, State::shape_value, "shape");
  if (name == "data_offsets") return once(offsets_seen_, State::offsets_value, "data_offsets");
  return enter(State::ignored_value);
}

bool HeaderEvents::once(bool& seen, State next, const char* field) {
  if (seen) return fail_here(std::string("duplicate ") + field);
  seen = true;
  return enter(next);
}

bool HeaderEvents::end_object() {
  const int closed = depth_--;
  if (state_ == State::fields) return finish_entry();
  if (state_ == State::metadata) return enter(State::tensors);
  if (state_ == State::ignored && closed == ignored_depth_) return enter(State::fields);
  return true;
}

bool HeaderEvents::end_array() {
  const int closed = depth_--;
  if (state_ == State::shape) return enter(State::fields);
  if (state_ == State::ignored) return closed == ignored_depth_ ? enter(State::fields) : true;
  if (offsets_.size() != 2)
    return fail_here("data_offsets has " + std::to_string(offsets_.size()) + " numbers, not two");
  tensor().begin = offsets_[0];
  tensor().end = offsets_[1];
  return enter(State::fields);
}

bool HeaderEvents::finish_entry() {
  if (!dtype_seen_) return fail_here("dtype is missing");
  if (!shape_seen_) return fail_here("shape is missing");
  if (!offsets_seen_) return fail_here("data_offsets is missing");
  return enter(State::tensors);
}

}  // namespace headwise
