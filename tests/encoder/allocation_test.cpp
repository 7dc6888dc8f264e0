// A warm call allocates nothing, but for oneDNN where that multiplies.
#include <doctest/doctest.h>

#include "allocations.hpp"
#include "isas.hpp"
#include "models.hpp"

using namespace headwise;

namespace {

bool counting() {
  if (!counts_allocations) MESSAGE("skipped: a sanitizer owns the allocator of this build");
  return counts_allocations;
}

std::int64_t allocations_of(EncoderSession& session, const Tokens& tokens, EncoderResults& results) {
  const std::int64_t before = allocations();
  session.run(tokens.inputs(), results.outputs());
  return allocations() - before;
}

}  // namespace

TEST_CASE("allocation: a warm call allocates nothing") {
  if (!counting()) return;
  const ModelFolder folder;
  const Tokens tokens({5, 130, 0, 64, 300, 3}, 50);
  for (const std::string& isa : running_isas()) {
    const Encoder encoder = folder.load(isa);
    for (const Schedule schedule : {Schedule::wide, Schedule::deep}) {
      for (const int threads : {1, 2}) {
        CAPTURE(isa);
        CAPTURE(int(schedule));
        CAPTURE(threads);
        EncoderSession session(encoder, {.threads = threads, .schedule = schedule});
        EncoderResults results(encoder.config(), tokens);
        for (int warming = 0; warming < 2; ++warming) session.run(tokens.inputs(), results.outputs());
        const std::int64_t first = allocations_of(session, tokens, results);
        if (isa != "sse2" && isa != "reference") CHECK(first == 0);
        CHECK(allocations_of(session, tokens, results) == first);
      }
    }
  }
}

TEST_CASE("allocation: smaller calls after a larger one find everything there") {
  if (!counting()) return;
  const ModelFolder folder;
  const Encoder encoder = folder.load();
  if (std::string(encoder.isa()) == "sse2") return;
  EncoderSession session(encoder, {.threads = 2});
  const std::vector<std::int64_t> sizes[] = {{300, 300, 300, 300}, {300, 300}, {1, 2, 3}, {}, {0}, {299, 300, 1}, {64}};
  bool largest = true;
  for (const auto& lengths : sizes) {
    const Tokens tokens(lengths, 50);
    EncoderResults results(encoder.config(), tokens);
    const std::int64_t count = allocations_of(session, tokens, results);
    CHECK((count == 0) == !largest);
    largest = false;
  }
}
