// What nlohmann's SAX parser tells, with one function for plain values and one for the ends of objects and lists. A
// method returns false to stop the parser.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace headwise {

class JsonEvents : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return value(nullptr); }
  bool boolean(bool given) override { return value(given); }
  bool number_integer(number_integer_t number) override { return value(number); }
  bool number_unsigned(number_unsigned_t number) override { return value(number); }
  bool number_float(number_float_t number, const string_t&) override { return value(number); }
  bool string(string_t& text) override { return value(std::move(text)); }
  bool binary(binary_t&) override { return false; }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override { return false; }

 private:
  virtual bool value(nlohmann::json given) = 0;
  virtual bool close() = 0;
};

}  // namespace headwise
