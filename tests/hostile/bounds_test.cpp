// Large and repetitive files: the memory and the reads that they cost are bounded by their size, and no number in them
// sizes anything. A step that took quadratic time would run into the time limit of the tests.
#include <unistd.h>

#include <cstring>

#include "expect_error.hpp"
#include "faulty_io.hpp"
#include "headwise/weights.hpp"
#include "memory_peak.hpp"
#include "safetensors_writer.hpp"
#include "stored_layer.hpp"
#include "temporary_folder.hpp"

using namespace headwise;

namespace {

constexpr std::size_t header_bytes = 4u << 20;
// The most that opening a file may hold at once. Measured: 1 for what is stepped over, 6 for tensors, 10 for metadata
// (an entry of 8 bytes becomes a node of a map with two strings), 12 for one number of 4 MiB.
constexpr std::int64_t bytes_a_byte = 16, fixed_bytes = 1 << 20;

// A header of pieces, each made from its number, until it is full.
template <class Piece>
std::string header_of(const std::string& begin, const Piece& piece, const std::string& end) {
  std::string header = begin;
  for (std::size_t i = 0; header.size() + end.size() < header_bytes; ++i) header += (i == 0 ? "" : ",") + piece(i);
  return header + end;
}

std::string tensor_entry(const std::string& name, std::size_t begin, std::size_t end) {
  return "\"" + name + R"(":{"dtype":"U8","shape":[)" + std::to_string(end - begin) + R"(],"data_offsets":[)" +
         std::to_string(begin) + "," + std::to_string(end) + "]}";
}

std::int64_t peak_of_opening(const std::string& header, std::size_t data_bytes) {
  const TemporaryFolder folder;
  const std::string path = folder.write("t.safetensors", safetensors_bytes(header, std::string(data_bytes, '\0')));
  start_memory_peak();
  try {
    const WeightFile file = WeightFile::open(path);
    find_attention_layers(file);
  } catch (const Error&) {
  }
  return memory_peak();
}

void check_bounded(const char* what, const std::string& header, std::size_t data_bytes = 0) {
  CAPTURE(what);
  CHECK(peak_of_opening(header, data_bytes) < bytes_a_byte * static_cast<std::int64_t>(header.size()) + fixed_bytes);
}

std::string shape_header(const std::string& size) {
  const std::string begin = R"({"a":{"dtype":"U8","data_offsets":[0,0],"shape":[)";
  return header_of(
      begin, [&](std::size_t) { return size; }, "]}}");
}

}  // namespace

TEST_CASE("many tensors, of many names or of one") {
  const auto named = [](std::size_t i) { return tensor_entry(std::to_string(i), 0, 0); };
  const auto same = [](std::size_t) { return tensor_entry("a", 0, 0); };
  const auto long_names = [](std::size_t i) { return tensor_entry(std::string(2000, 'a') + std::to_string(i), 0, 0); };
  const auto in_turn = [](std::size_t i) { return tensor_entry(std::to_string(i), i, i + 1); };
  const auto overlapping = [](std::size_t i) { return tensor_entry(std::to_string(i), 0, i); };
  check_bounded("names", header_of("{", named, "}"));
  check_bounded("one name", header_of("{", same, "}"));
  check_bounded("long names", header_of("{", long_names, "}"));
  check_bounded("one byte each", header_of("{", in_turn, "}"), 1 << 17);
  check_bounded("overlaps", header_of("{", overlapping, "}"), 1 << 17);
}

TEST_CASE("much metadata") {
  const auto pair = [](std::size_t i) { return "\"" + std::to_string(i) + "\":\"\""; };
  const auto same = [](std::size_t) { return std::string(R"("a":"")"); };
  check_bounded("keys", header_of(R"({"__metadata__":{)", pair, "}}"));
  check_bounded("one key", header_of(R"({"__metadata__":{)", same, "}}"));
  check_bounded("a long value", "{\"__metadata__\":{\"k\":\"" + std::string(header_bytes, 'v') + "\"}}");
}

TEST_CASE("long shapes, long names, deep and long values that are stepped over") {
  check_bounded("zeros", shape_header("0"));
  check_bounded("ones", shape_header("1"));
  check_bounded("a long name", "{" + tensor_entry(std::string(header_bytes, 'n'), 0, 0) + "}");
  check_bounded("open brackets", R"({"a":{"x":)" + std::string(header_bytes, '['));
  check_bounded("open braces", header_of(R"({"a":{"x":)", [](std::size_t) { return std::string("{\"\":"); }, ""));
  check_bounded("numbers", header_of(R"({"a":{"x":[)", [](std::size_t) { return std::string("1"); }, "]}}"));
  check_bounded("a long number", R"({"a":{"x":)" + std::string(header_bytes, '1') + "}}");
  check_bounded("white space", std::string(header_bytes, ' ') + "{}");
}

TEST_CASE("a header of the largest size is read, one byte more is not") {
  const TemporaryFolder folder;
  for (const std::uint64_t length : {100'000'000, 100'000'001}) {
    std::string start(sizeof length, '\0');
    std::memcpy(start.data(), &length, sizeof length);
    const std::string path = folder.write("t.safetensors", start + "{}");
    REQUIRE(::truncate(path.c_str(), static_cast<off_t>(length + 8)) == 0);
    const char* problem = length == 100'000'000 ? "contains a NUL byte" : "exceeds the limit";
    start_memory_peak();
    expect_error(ErrorCode::bad_file, {problem}, [&] { WeightFile::open(path); });
    CHECK(memory_peak() < (length == 100'000'000 ? static_cast<std::int64_t>(length) + fixed_bytes : fixed_bytes));
  }
}

TEST_CASE("many layers are found, and the missing one is reported, in time and in a short message") {
  const TemporaryFolder folder;
  const auto layer = [](std::size_t i) {
    const std::string prefix = "layers." + std::to_string(i) + ".";
    std::string text;
    for (const char* name : {"w_q", "w_k", "w_v", "w_o"}) {
      text += (text.empty() ? "" : ",") + tensor_entry(prefix + name + ".weight", 0, 0);
    }
    return text;
  };
  const std::string path = folder.write("m.safetensors", safetensors_bytes(header_of("{", layer, "}"), ""));
  const WeightFile file = WeightFile::open(path);
  CHECK(find_attention_layers(file).size() > 10'000);
  try {
    load_attention(file, {.num_heads = 2, .prefix = "absent"});
    FAIL_CHECK("loaded");
  } catch (const Error& error) {
    CHECK(std::string(error.what()).size() < 2000);
  }
}

TEST_CASE("a config.json of the largest size") {
  const TemporaryFolder folder;
  const auto pair = [](std::size_t) { return std::string(R"("num_heads":[1,2])"); };
  folder.write("config.json", header_of("{", pair, "}"));
  start_memory_peak();
  expect_error(ErrorCode::bad_file, {"duplicate"}, [&] { heads_from_config(folder.file("m.safetensors")); });
  CHECK(memory_peak() < 4 * static_cast<std::int64_t>(header_bytes) + fixed_bytes);
}

TEST_CASE("numbers of .npy headers size nothing") {
  const TemporaryFolder folder;
  for (const char* shape : {"(4294967295,)", "(1152921504606846975,)", "(1099511627776, 1048575)"}) {
    const std::string header = "{'descr': '<f8', 'fortran_order': True, 'shape': " + std::string(shape) + "}";
    std::string start("\x93NUMPY\x01\x00\x00\x00", 10);
    start[8] = static_cast<char>(header.size());
    const std::string path = folder.write("t.npy", start + header + "data");
    start_memory_peak();
    expect_error(ErrorCode::bad_file, {"t.npy"}, [&] { load_npy(path); });
    CHECK(memory_peak() < fixed_bytes);
  }
}

TEST_CASE("of a file of 5 GiB only the layer that is wanted is read") {
  const AttentionWeights layer = square_layer();
  const auto tensors = four_linears(layer, "", {"w_q", "w_k", "w_v", "w_o"});
  constexpr std::size_t gap = 5ull << 30;
  std::string entries = tensor_entry("filler", 0, gap), data;
  for (const NamedTensor& named : tensors) {
    const std::size_t begin = gap + data.size();
    const std::size_t bytes = static_cast<std::size_t>(named.tensor.size()) * sizeof(float);
    data.append(static_cast<const char*>(named.tensor.view().data), bytes);
    entries += "," + safetensors_entry(named, begin, begin + bytes);
  }
  const std::string start = safetensors_bytes("{" + entries + "}", "");
  const TemporaryFolder folder;
  const std::string path = folder.write("sparse.safetensors", start);
  REQUIRE(::truncate(path.c_str(), static_cast<off_t>(start.size() + gap)) == 0);
  std::ofstream(path, std::ios::binary | std::ios::app) << data;

  const std::int64_t before = bytes_read();
  start_memory_peak();
  const AttentionWeights loaded = load_attention(path, {.num_heads = 3});
  CHECK(std::memcmp(loaded.output_weight.data(), layer.output_weight.data(), 36 * sizeof(float)) == 0);
  CHECK(bytes_read() - before <= static_cast<std::int64_t>(start.size() + data.size()));
  CHECK(memory_peak() < fixed_bytes);
}
