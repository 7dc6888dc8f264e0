// Records from a file of a stranger: every field is checked before anything is believed.
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "bench_fields.hpp"
#include "console.hpp"
#include "standard_streams.hpp"
#include "text_files.hpp"

namespace headwise::tools {
namespace {

constexpr std::size_t longest_file = std::size_t{256} << 20;

struct FieldError : std::runtime_error {
  FieldError(const char* field, const std::string& problem)
      : std::runtime_error("field '" + std::string(field) + "' " + problem) {}
  using std::runtime_error::runtime_error;
};

struct Reader {
  const Json& object;

  const Json& find(const char* name) const {
    const auto found = object.find(name);
    if (found == object.end()) throw FieldError(name, "is missing");
    return *found;
  }
  std::string text(const char* name) const {
    const Json& value = find(name);
    if (!value.is_string()) throw FieldError(name, "is no text");
    return value.get<std::string>();
  }
  // Times and rates of real calls are positive; sums of flops and bytes may be 0.
  static double number(const char* name, const Json& value, Scaled scale) {
    const double number = value.is_number() ? value.get<double>() : -1;
    const bool sound = std::isfinite(number) && (scale.unit == 1 ? number >= 0 : number > 0 && number < 1e12);
    if (!sound) throw FieldError(name, "is no positive number");
    return number / scale.unit;
  }

  void operator()(const char* name, std::string& target) { target = text(name); }
  void operator()(const char* name, BenchShape& shape) try {
    shape = parse_shape(text(name));
  } catch (const ShapeError& error) {
    throw FieldError(name, error.what());
  }
  template <class Integer>
  requires std::is_integral_v<Integer>
  void operator()(const char* name, Integer& target) {
    const Json& value = find(name);
    const bool sound = value.is_number_unsigned() && value.get<std::uint64_t>() < (std::uint64_t{1} << 31);
    if (!sound) throw FieldError(name, "is no whole number of 0 or more");
    target = static_cast<Integer>(value.get<std::uint64_t>());
  }
  void operator()(const char* name, double& target, Scaled scale) { target = number(name, find(name), scale); }
  void operator()(const char* name, std::vector<double>& target, Scaled scale) {
    const Json& values = find(name);
    if (!values.is_array()) throw FieldError(name, "is no list");
    target.clear();
    for (const Json& value : values) target.push_back(number(name, value, scale));
  }
  template <class Value>
  void operator()(const char* name, Value& target, const Names<Value>& names) {
    const std::string word = text(name);
    for (const auto& [known, value] : names) {
      if (known == word) return void(target = value);
    }
    throw FieldError(name, "is '" + word + "', which this version does not know");
  }
};

BenchRecord read_record(const Json& object) {
  if (!object.is_object()) throw FieldError("records", "holds something else than objects");
  BenchRecord record;
  each_field(record, Reader{object});
  if (record.round_medians.empty()) throw FieldError("round_medians_ms", "is empty");
  if (record.what.threads < 1) throw FieldError("threads", "is 0");
  const std::string problem = contradiction(record, object);
  if (!problem.empty()) throw FieldError(problem);
  return record;
}

const Json& checked_list(const Json& document) {
  const bool ours = document.is_object() && document.value("format", Json()) == Json(bench_format_name);
  if (!ours) throw CommandError("it is no JSON object that headwise bench wrote");
  if (document.value("format_version", Json()) != Json(bench_format_version)) {
    throw CommandError("it is of another version of the format; this headwise reads version " +
                       std::to_string(bench_format_version));
  }
  const auto records = document.find("records");
  const bool sound = records != document.end() && records->is_array();
  if (!sound) throw CommandError("it has no list 'records'");
  return *records;
}

void check_once(const std::vector<BenchRecord>& records) {
  std::set<std::string> names;
  for (const BenchRecord& record : records) {
    if (!names.insert(record.what.name()).second) throw CommandError("it holds '" + record.what.name() + "' twice");
  }
}

BenchRecords parse_records(const std::string& text) {
  const Json document = Json::parse(text, nullptr, false);
  if (document.is_discarded()) throw CommandError("it is no JSON");
  BenchRecords result;
  for (const Json& object : checked_list(document)) try {
      result.records.push_back(read_record(object));
    } catch (const FieldError& error) {
      throw CommandError("record " + std::to_string(result.records.size() + 1) + ": " + error.what());
    }
  check_once(result.records);
  result.complete = document.value("complete", Json()) == Json(true);
  return result;
}

}  // namespace

BenchRecords read_records(const std::string& path) {
  const std::string text = read_text_file(path, longest_file);
  try {
    return parse_records(text);
  } catch (const CommandError& error) {
    throw CommandError(input_name(path) + " cannot be used: " + error.what());
  }
}

}  // namespace headwise::tools
