// Tiny models of every family against what tests/data/make_encoders.py computed in float64.
#include <doctest/doctest.h>

#include <cmath>

#include "isas.hpp"
#include "models.hpp"

using namespace headwise;

namespace {

const char* const families[] = {"bert", "roberta", "distilbert"};

std::string folder_of(const std::string& family) {
  return std::string(HEADWISE_TEST_DATA "/encoders/") + family;
}

struct Expected {
  WeightFile file;
  Tensor ids, starts, types, states, attention;

  explicit Expected(const std::string& family)
      : file(WeightFile::open(folder_of(family) + "/expected.safetensors")),
        ids(file.read("token_ids")),
        starts(file.read("cumulative_lengths")),
        types(file.read("token_types")),
        states(file.read("hidden_states")),
        attention(file.read("attention")) {}

  EncoderInputs inputs(const EncoderConfig& config) const {
    EncoderInputs result;
    result.token_ids = ids.view();
    result.cumulative_lengths = starts.view();
    if (config.num_token_types > 0) result.token_types = types.view();
    return result;
  }
};

double largest_error(const Tensor& got, const Tensor& wanted) {
  REQUIRE(got.shape() == wanted.shape());
  double largest = 0;
  for (std::int64_t i = 0; i < got.size(); ++i) {
    const double error = std::abs(double(got.data()[i]) - wanted.data<double>()[i]);
    if (!(error <= largest)) largest = error;
  }
  return largest;
}

// Rows are normalised, so numbers are of the size of 1: some twenty roundings of f32.
constexpr double tolerance = 3e-6;

void check_states(const Encoder& encoder, const Expected& expected, const SessionOptions& options) {
  Tensor states(expected.states.shape()), attention(expected.attention.shape());
  EncoderOutputs outputs;
  outputs.hidden_states = states.mutable_view();
  outputs.attention = attention.mutable_view();
  EncoderSession(encoder, options).run(expected.inputs(encoder.config()), outputs);
  CHECK(largest_error(states, expected.states) < tolerance);
  CHECK(largest_error(attention, expected.attention) < tolerance);
}

}  // namespace

TEST_CASE("answers: every family on every ISA, schedule and thread count") {
  for (const std::string family : families) {
    const Expected expected(family);
    for (const std::string& isa : running_isas()) {
      const Encoder encoder = Encoder::load(folder_of(family), {.isa = isa});
      CHECK(encoder.config().family == family);
      CHECK(encoder.isa() == isa);
      for (const Schedule schedule : {Schedule::automatic, Schedule::wide, Schedule::deep}) {
        for (const int threads : {1, 2}) {
          CAPTURE(family);
          CAPTURE(isa);
          CAPTURE(int(schedule));
          CAPTURE(threads);
          check_states(encoder, expected, {.threads = threads, .schedule = schedule});
        }
      }
    }
  }
}

TEST_CASE("answers: embeddings of every pooling, as they are and normalised") {
  const std::pair<Pooling, const char*> poolings[] = {
      {Pooling::mean, "mean"}, {Pooling::cls, "cls"}, {Pooling::max, "max"}};
  for (const std::string family : families) {
    const Expected expected(family);
    const Encoder encoder = Encoder::load(folder_of(family));
    for (const auto& [pooling, name] : poolings) {
      CAPTURE(family);
      CAPTURE(name);
      Tensor wanted = expected.file.read(name), embedding(wanted.shape());
      EncoderOutputs outputs{.embedding = embedding.mutable_view(), .pooling = pooling};
      EncoderSession session(encoder);
      session.run(expected.inputs(encoder.config()), outputs);
      CHECK(largest_error(embedding, wanted) < tolerance);
      outputs.normalize = true;
      session.run(expected.inputs(encoder.config()), outputs);
      for (std::int64_t b = 0; b < wanted.shape()[0]; ++b) {
        double* row = wanted.data<double>() + b * wanted.shape()[1];
        double sum = 0;
        for (std::int64_t i = 0; i < wanted.shape()[1]; ++i) sum += row[i] * row[i];
        for (std::int64_t i = 0; i < wanted.shape()[1]; ++i) row[i] /= std::max(std::sqrt(sum), 1e-12);
      }
      CHECK(largest_error(embedding, wanted) < tolerance);
    }
  }
}

TEST_CASE("answers: what config.json and the tensors say comes out") {
  const EncoderConfig bert = Encoder::load(folder_of("bert")).config();
  CHECK(bert.num_layers == 2);
  CHECK(bert.model_dim == 12);
  CHECK(bert.num_heads == 3);
  CHECK(bert.hidden_dim == 20);
  CHECK(bert.vocabulary_size == 30);
  CHECK(bert.max_length() == 12);
  CHECK(bert.num_token_types == 2);
  CHECK(bert.layer_norm_epsilon == 1e-5);
  const EncoderConfig roberta = Encoder::load(folder_of("roberta")).config();
  CHECK(roberta.first_position == 2);
  CHECK(roberta.max_length() == 10);
  CHECK(roberta.activation == Activation::gelu_tanh);
  const EncoderConfig distilbert = Encoder::load(folder_of("distilbert")).config();
  CHECK(distilbert.num_token_types == 0);
  CHECK(distilbert.activation == Activation::relu);
  CHECK(distilbert.layer_norm_epsilon == 1e-12);
}
