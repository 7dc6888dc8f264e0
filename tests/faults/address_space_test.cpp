// C14: the system itself refuses the memory of a call that is far too long.
#include <doctest/doctest.h>
#include <sys/resource.h>

#include <cstring>
#include <fstream>

#include "allocations.hpp"
#include "calls.hpp"
#include "expect_error.hpp"

using namespace headwise;

namespace {

// Bytes of address space in use.
std::size_t address_space() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages << 12;
}

// As if only so much more than now could be had.
class AddressSpaceLimit {
 public:
  explicit AddressSpaceLimit(std::size_t more) {
    getrlimit(RLIMIT_AS, &before_);
    rlimit low = before_;
    low.rlim_cur = address_space() + more;
    setrlimit(RLIMIT_AS, &low);
  }
  ~AddressSpaceLimit() { setrlimit(RLIMIT_AS, &before_); }
  AddressSpaceLimit(const AddressSpaceLimit&) = delete;
  AddressSpaceLimit& operator=(const AddressSpaceLimit&) = delete;

 private:
  rlimit before_{};
};

}  // namespace

TEST_CASE("C14: a call of 20,000 tokens under a low limit of address space says so, and the next one is right") {
  if (!counts_allocations) return;  // a sanitizer's shadow needs more address space than any limit
  const MultiHeadAttention model(random_weights({.model_dim = 256, .num_heads = 4}, 1));
  const Tensor x = filled({1, 20000, 256}, 0.5F), few = filled({2, 200, 256}, 0.5F);
  Tensor y({1, 20000, 256});
  const Results expected = run(model, inputs_of(few, few, few));
  for (const int threads : {1, 2, 4}) {
    CAPTURE(threads);
    Session session(model, {.threads = threads});
    Results results = make_results(model, inputs_of(few, few, few));
    session.run(inputs_of(few, few, few), results.outputs());
    {
      const AddressSpaceLimit limit(std::size_t{8} << 20);
      expect_error(ErrorCode::out_of_memory, {"bytes"}, [&] { session.run(inputs_of(x, x, x), {.output = y}); });
    }
    Results again = make_results(model, inputs_of(few, few, few));
    session.run(inputs_of(few, few, few), again.outputs());
    CHECK(same_bits(again.output, expected.output));
  }
}
