// The six attention layers of a real file against float64, with PyTorch's own error on the same data as the bar.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <headwise/headwise.hpp>
#include <string>

namespace {

using namespace headwise;

const std::string model_path = HEADWISE_MODELS "/all-MiniLM-L6-v2/model.safetensors";
const std::string golden_path = HEADWISE_TEST_DATA "/minilm_golden.safetensors";
constexpr int layer_count = 6;

struct ErrorFigures {
  double max = 0, rms = 0;
};

ErrorFigures error_of(const Tensor& actual, const Tensor& oracle) {
  REQUIRE(actual.shape() == oracle.shape());
  ErrorFigures figures;
  for (std::int64_t i = 0; i < oracle.size(); ++i) {
    const double error = std::fabs(static_cast<double>(actual.data()[i]) - oracle.data<double>()[i]);
    figures.max = std::max(figures.max, error);
    figures.rms += error * error;
  }
  figures.rms = std::sqrt(figures.rms / static_cast<double>(oracle.size()));
  return figures;
}

std::string in_words(const ErrorFigures& figures) {
  char text[64];
  std::snprintf(text, sizeof text, "max %.2e RMS %.2e", figures.max, figures.rms);
  return text;
}

struct Outcome {
  Tensor output, attention;
};

Outcome run_layer(int layer, const std::string& isa, const Tensor& input, const Outcome& shapes) {
  LoadOptions which;
  which.layer = layer;
  const AttentionWeights weights = load_attention(model_path, which);
  ModelOptions options;
  options.isa = isa;
  const MultiHeadAttention attention(weights, options);
  CHECK(std::string(attention.isa()) == isa);
  Outcome outcome{Tensor(shapes.output.shape()), Tensor(shapes.attention.shape())};
  AttentionInputs inputs;
  inputs.query = inputs.key = inputs.value = input;
  AttentionOutputs outputs;
  outputs.output = outcome.output;
  outputs.attention = outcome.attention;
  Session(attention).run(inputs, outputs);
  return outcome;
}

// A maximum is one element of thousands and moves with the order of every sum. The bar is PyTorch's own on CPUs with
// AVX-512, where oneDNN, which multiplies for SSE2 and the reference, has fused multiply-adds; elsewhere it has room.
// The RMS error has none anywhere. Built with a sanitizer, products and sums are not contracted.
double room_for_maximum() {
#ifdef __SANITIZE_ADDRESS__
  return 2.5;
#endif
  const auto isas = list_isas();
  const bool wide =
      std::any_of(isas.begin(), isas.end(), [](const auto& i) { return i.name == "avx512" && i.present; });
  return wide ? 1 : 2.5;
}

void expect_no_worse(const std::string& what, const Tensor& actual, const Tensor& torch, const Tensor& oracle) {
  const ErrorFigures ours = error_of(actual, oracle), theirs = error_of(torch, oracle);
  MESSAGE(what << ": headwise " << in_words(ours) << ", torch " << in_words(theirs));
  CHECK(ours.max <= theirs.max * room_for_maximum());
  CHECK(ours.rms <= theirs.rms);
}

void check_layer(const WeightFile& golden, int layer, const std::string& isa) {
  const std::string start = "layer." + std::to_string(layer) + ".";
  const Outcome oracle{golden.read(start + "output"), golden.read(start + "attention")};
  const Outcome actual = run_layer(layer, isa, golden.read(start + "input"), oracle);
  const std::string name = isa + " layer " + std::to_string(layer);
  expect_no_worse(name + " output", actual.output, golden.read(start + "torch_output"), oracle.output);
  expect_no_worse(name + " weights", actual.attention, golden.read(start + "torch_attention"), oracle.attention);
}

bool may_be_missing() {
  const char* allowed = std::getenv("HEADWISE_ALLOW_MISSING_MODEL");
  return allowed != nullptr && std::string(allowed) == "1";
}

}  // namespace

TEST_CASE("all layers of all-MiniLM-L6-v2 are at least as exact as PyTorch, on every ISA") {
  if (!std::filesystem::exists(model_path)) {
    MESSAGE("NOT RUN: there is no " << model_path << "; tools/fetch_model.sh fetches it");
    REQUIRE(may_be_missing());
    return;
  }
  const WeightFile golden = WeightFile::open(golden_path);
  for (const IsaInfo& isa : list_isas()) {
    if (!isa.compiled || !isa.present) {
      MESSAGE("SKIPPED: " << isa.name << " is not in this build or not on this CPU");
      continue;
    }
    for (int layer = 0; layer < layer_count; ++layer) check_layer(golden, layer, isa.name);
  }
}
