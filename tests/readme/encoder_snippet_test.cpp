// The encoder of the README, on a small one in a folder of that name.
#include <doctest/doctest.h>

#include <filesystem>

#include "headwise/headwise.hpp"
#include "temporary_folder.hpp"

TEST_CASE("README: a text becomes an embedding as shown") {
  TemporaryFolder folder;
  std::filesystem::copy(HEADWISE_TEST_DATA "/encoders/words", folder.file("all-MiniLM-L6-v2"));
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  {
#include "readme_encoder.inc"
    std::filesystem::current_path(before);
    CHECK(ids.size() == 9);  // seven words and signs between [CLS] and [SEP]
    double squares = 0;
    for (std::int64_t i = 0; i < embedding.size(); ++i) squares += embedding.data()[i] * embedding.data()[i];
    CHECK(squares > 0);
  }
}
