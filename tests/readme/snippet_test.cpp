// The five lines of the README, on a file that the test writes.
#include <doctest/doctest.h>

#include <filesystem>

#include "headwise/headwise.hpp"
#include "safetensors_writer.hpp"
#include "stored_layer.hpp"
#include "temporary_folder.hpp"

TEST_CASE("README: a layer from a weight file runs as shown") {
  TemporaryFolder folder;
  const auto stored = headwise::random_weights({.model_dim = 48, .num_heads = 12}, 3);
  folder.write("model.safetensors", safetensors_file(four_linears(stored, "", {"w_q", "w_k", "w_v", "w_o"})));
  headwise::Tensor x({1, 5, 48}), y({1, 5, 48}), w({1, 12, 5, 5});
  for (std::int64_t i = 0; i < x.size(); ++i) x.data()[i] = 0.01F * static_cast<float>(i % 37);
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  {
#include "readme_snippet.inc"
  } std::filesystem::current_path(before);
  CHECK(w.data()[0] == doctest::Approx(1));  // causal: the first query sees the first key only
  CHECK(w.data()[1] == 0);
}
