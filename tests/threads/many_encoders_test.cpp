// C02 for texts: many threads on one encoder, each with a session, and on one tokenizer. Built with TSan as well
// (preset tsan).
#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "headwise/tokenizer.hpp"
#include "models.hpp"

using namespace headwise;

namespace {

constexpr int users = 8;

int runs() {
  const char* wanted = std::getenv("HEADWISE_TEST_RUNS");
  return wanted == nullptr ? 40 : std::atoi(wanted);
}

// What all users together count as wrong.
template <class Work>
int wrong_of_all(const Work& work) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> all;
  for (int user = 0; user < users; ++user) all.emplace_back([&, user] { wrong += work(user); });
  for (std::thread& one : all) one.join();
  return wrong;
}

// Batches of other sizes, and what one thread makes of each.
struct Batches {
  Encoder encoder = ModelFolder({.layers = 2}).load();
  std::vector<Tokens> tokens{};
  std::vector<EncoderResults> expected{};

  Batches() {
    const std::vector<std::int64_t> lengths[] = {{5}, {17, 0, 3, 64}, {1, 1, 130}, {70, 8}};
    for (const auto& of_batch : lengths) {
      tokens.emplace_back(of_batch, 50);
      expected.push_back(run(encoder, tokens.back(), {.threads = 1}));
    }
  }

  int wrong_runs(const SessionOptions& options, int user, int count) const {
    EncoderSession session(encoder, options);
    Random random(100 + std::uint64_t(user));
    int wrong = 0;
    for (int i = 0; i < count; ++i) {
      const auto batch = static_cast<std::size_t>(random.below(std::int64_t(tokens.size())));
      EncoderResults results(encoder.config(), tokens[batch]);
      session.run(tokens[batch].inputs(), results.outputs());
      wrong += equal_bits(results, expected[batch]) ? 0 : 1;
    }
    return wrong;
  }

  int wrong_runs_of_all(const SessionOptions& options, int count) const {
    return wrong_of_all([&](int user) { return wrong_runs(options, user, count); });
  }
};

}  // namespace

TEST_CASE("C02: sessions of 8 threads on one encoder") {
  const Batches batches;
  for (const Schedule schedule : {Schedule::wide, Schedule::deep}) {
    CHECK(batches.wrong_runs_of_all({.threads = 1, .schedule = schedule}, runs() / 8) == 0);
    CHECK(batches.wrong_runs_of_all({.threads = 3, .schedule = schedule}, runs() / 8) == 0);
    CHECK(batches.wrong_runs_of_all({.schedule = schedule, .executor = std::make_shared<Executor>(3)}, runs() / 8) ==
          0);
  }
}

TEST_CASE("C02: 8 threads load an encoder and run it") {
  const ModelFolder folder;
  const std::string path = folder.write();
  const Tokens tokens({9, 70}, 50);
  const EncoderResults expected = run(Encoder::load(path), tokens, {.threads = 1});
  CHECK(wrong_of_all([&](int) { return equal_bits(run(Encoder::load(path), tokens), expected) ? 0 : 1; }) == 0);
}

TEST_CASE("C02: 8 threads load a tokenizer, and use one together") {
  const std::string text = "Un été à Zürich, [MASK] 東京 ﬁn.", path = HEADWISE_TEST_DATA "/tokens/added";
  const Tokenizer shared = Tokenizer::load(path);
  const auto same = [](const Encoding& a, const Encoding& b) { return a.ids == b.ids && a.starts == b.starts; };
  const Encoding one = shared.encode(text), two = shared.encode_pair(text, text);
  const int wrong = wrong_of_all([&](int) {
    int differing = same(Tokenizer::load(path).encode(text), one) ? 0 : 1;
    for (int i = 0; i < runs(); ++i) differing += same(shared.encode_pair(text, text), two) ? 0 : 1;
    return differing;
  });
  CHECK(wrong == 0);
}
