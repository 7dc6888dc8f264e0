// What loading tells the log: what it leaves out or takes as zero because it was allowed to.
#include <doctest/doctest.h>

#include "loading.hpp"
#include "log_listener.hpp"
#include "stored_layer.hpp"

using namespace headwise;

namespace {

const std::vector<std::string> names{"q_proj", "k_proj", "v_proj", "out_proj"};

std::vector<NamedTensor> without(std::vector<NamedTensor> tensors, const std::vector<std::string>& left_out) {
  std::erase_if(tensors, [&](const NamedTensor& tensor) {
    return std::find(left_out.begin(), left_out.end(), tensor.name) != left_out.end();
  });
  return tensors;
}

}  // namespace

TEST_CASE("bytes behind the last tensor are a warning where they are allowed") {
  const TemporaryFolder folder;
  const std::string whole = safetensors_file(four_linears(square_layer(), "", names));
  const std::string path = folder.write("m.safetensors", whole + "123");
  OpenOptions lenient;
  lenient.allow_trailing_bytes = true;
  const LogListener log;
  WeightFile::open(path, lenient);
  REQUIRE(log.heard.size() == 1);
  CHECK(log.count("warning: '" + path + "': 3 bytes behind the last tensor") == 1);
  WeightFile::open(folder.write("m.safetensors", whole), lenient);
  CHECK(log.heard.size() == 1);
}

TEST_CASE("biases that are taken as zero are a warning, by name") {
  LoadOptions options = with_heads(3);
  options.allow_missing_bias = true;
  const auto tensors = four_linears(square_layer(), "a.", names);
  const LogListener log;
  load(without(tensors, {"a.k_proj.bias", "a.out_proj.bias"}), options);
  REQUIRE(log.heard.size() == 1);
  CHECK(log.count("'a.k_proj.bias', 'a.out_proj.bias', taken as zero") == 1);
  load(tensors, options);
  load(without(tensors, {"a.q_proj.bias", "a.k_proj.bias", "a.v_proj.bias", "a.out_proj.bias"}), options);
  CHECK(log.heard.size() == 1);
}

TEST_CASE("a model that does without some biases is no reason for a warning") {
  const TemporaryFolder folder;
  folder.write("config.json", R"({"model_type": "whisper", "encoder_attention_heads": 3})");
  const auto tensors = without(four_linears(square_layer(), "encoder.", names), {"encoder.k_proj.bias"});
  const std::string path = folder.write("m.safetensors", safetensors_file(tensors));
  LoadOptions options;
  const LogListener log;
  for (const bool allowed : {false, true}) {
    options.allow_missing_bias = allowed;
    CHECK(!load_attention(path, options).key_bias.given());
  }
  CHECK(log.heard.empty());
}
