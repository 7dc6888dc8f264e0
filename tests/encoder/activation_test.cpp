// The activation that config.json names is the one between the two feed-forward products.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "models.hpp"

using namespace headwise;

namespace {

constexpr std::int64_t width = 64;
constexpr double pi = 3.14159265358979323846;

void make_unit(Tensor& matrix) {
  std::fill_n(matrix.data(), matrix.size(), 0.0F);
  for (std::int64_t i = 0; i < width; ++i) matrix.data()[i * width + i] = 1;
}

// One layer whose attention adds nothing and whose products and normalisations change nothing, so that it gives
// normalised(x + activation(x)) for rows x that are normalised already.
void make_plain(ModelFolder& folder, const std::string& activation) {
  for (NamedTensor& named : folder.tensors) {
    const bool bias = named.name.ends_with(".bias"), norm = named.name.find("LayerNorm") != std::string::npos;
    if (bias) std::fill_n(named.tensor.data(), named.tensor.size(), 0.0F);
    if (norm && !bias) std::fill_n(named.tensor.data(), named.tensor.size(), 1.0F);
  }
  std::fill_n(folder.tensor("encoder.layer.0.attention.output.dense.weight").data(), width * width, 0.0F);
  make_unit(folder.tensor("encoder.layer.0.intermediate.dense.weight"));
  make_unit(folder.tensor("encoder.layer.0.output.dense.weight"));
  folder.config.insert(folder.config.size() - 1, ",\"hidden_act\":\"" + activation + "\"");
}

double applied(Activation activation, double x) {
  switch (activation) {
    case Activation::gelu:
      return x * 0.5 * std::erfc(-x / std::sqrt(2.0));
    case Activation::gelu_tanh:
      return x * 0.5 * (1 + std::tanh(std::sqrt(2 / pi) * (x + 0.044715 * x * x * x)));
    case Activation::relu:
      return std::max(x, 0.0);
    default:
      return x / (1 + std::exp(-x));
  }
}

// The largest difference of a row from what the layer's definition makes of the row x.
double row_error(Activation activation, const float* x, const float* row) {
  double sum[width], mean = 0, variance = 0;
  for (std::int64_t i = 0; i < width; ++i) mean += (sum[i] = x[i] + applied(activation, x[i])) / width;
  for (const double value : sum) variance += (value - mean) * (value - mean) / width;
  double worst = 0;
  for (std::int64_t i = 0; i < width; ++i) {
    worst = std::max(worst, std::abs((sum[i] - mean) / std::sqrt(variance) - row[i]));
  }
  return worst;
}

}  // namespace

TEST_CASE("activation: each name gives its function") {
  const std::pair<const char*, Activation> names[] = {
      {"gelu", Activation::gelu}, {"gelu_new", Activation::gelu_tanh}, {"gelu_pytorch_tanh", Activation::gelu_tanh},
      {"relu", Activation::relu}, {"silu", Activation::silu},          {"swish", Activation::silu}};
  const Tokens tokens({40}, 50);
  for (const auto& [name, activation] : names) {
    CAPTURE(std::string(name));
    ModelFolder folder({.inner = width, .layers = 1});
    make_plain(folder, name);
    const Encoder encoder = folder.load();
    CHECK(encoder.config().activation == activation);
    EncoderResults results = run(encoder, tokens);
    double worst = 0;
    for (std::int64_t row = 0; row < 40; ++row) {
      const float* x = results.states.data() + row * width;
      worst = std::max(worst, row_error(activation, x, x + 40 * width));
    }
    CHECK(worst < 2e-5);  // the exact gelu and its approximation differ by 5e-4
  }
}
