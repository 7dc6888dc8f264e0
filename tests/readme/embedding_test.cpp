// What docs/embedding.md says about memory: no call touches a byte that the views do not name.
#include <doctest/doctest.h>

#include <cmath>

#include "guarded_rows.hpp"
#include "headwise/headwise.hpp"

using namespace headwise;

namespace {

struct Sizes {
  std::int64_t heads, head_dim, queries, keys;
};

// All paths: lanes of queries, few queries, more than one block of either, and widths around those of the vectors.
constexpr Sizes sizes[] = {{3, 4, 5, 7},  {1, 17, 1, 3},   {2, 8, 4, 33},   {5, 5, 70, 131}, {1, 1, 1, 1},
                           {2, 31, 3, 9}, {1, 63, 65, 97}, {2, 64, 25, 96}, {3, 15, 2, 500}};

std::vector<std::string> present_isas() {
  std::vector<std::string> names;
  for (const IsaInfo& isa : list_isas()) {
    if (isa.compiled && isa.present) names.push_back(isa.name);
  }
  return names;
}

// Inputs, masks and outputs of one call, each row between guards.
struct GuardedCall {
  GuardedRows query, key, value, mask, output, attention, log_sum_exp;

  GuardedCall(const Sizes& s, bool at_end)
      : query({2, s.queries, s.heads * s.head_dim}, at_end),
        key({2, s.keys, s.heads * s.head_dim}, at_end),
        value({2, s.keys, s.heads * s.head_dim}, at_end),
        mask({s.queries, s.keys}, at_end),
        output({2, s.queries, s.heads * s.head_dim}, at_end),
        attention({2, s.heads, s.queries, s.keys}, at_end),
        log_sum_exp({2, s.heads, s.queries}, at_end) {
    query.fill(0.3F);
    key.fill(0.4F);
    value.fill(0.5F);
  }

  AttentionInputs inputs(bool masked) const {
    AttentionInputs inputs{.query = query.view(), .key = key.view(), .value = value.view()};
    if (masked) inputs.attention_mask = mask.view();
    return inputs;
  }
};

void run_all(const MultiHeadAttention& model, const Sizes& s) {
  Session session(model, {.threads = 2});
  for (const bool at_end : {true, false}) {
    for (const bool masked : {false, true}) {
      CAPTURE(at_end);
      CAPTURE(masked);
      GuardedCall call(s, at_end);
      session.run(call.inputs(masked), {.output = call.output.view()});
      const float alone = call.output.at(s.queries - 1, 0);
      session.run(
          call.inputs(masked),
          {.output = call.output.view(), .attention = call.attention.view(), .log_sum_exp = call.log_sum_exp.view()});
      CHECK(std::isfinite(alone));
      CHECK(call.output.at(s.queries - 1, 0) == alone);
    }
  }
}

}  // namespace

TEST_CASE("embedding: nothing is read or written before, behind or between the rows of a view") {
  for (const std::string& isa : present_isas()) {
    for (const Sizes& s : sizes) {
      CAPTURE(isa);
      CAPTURE(s.head_dim);
      CAPTURE(s.keys);
      const auto weights = random_weights({.model_dim = s.heads * s.head_dim, .num_heads = s.heads}, 7);
      run_all(MultiHeadAttention(weights, {.isa = isa}), s);
    }
  }
}

TEST_CASE("embedding: self-attention of one guarded tensor") {
  for (const std::string& isa : present_isas()) {
    for (const std::int64_t length : {1, 5, 64, 100}) {
      const MultiHeadAttention model(random_weights({.model_dim = 60, .num_heads = 4}, 7), {.isa = isa});
      GuardedRows x({3, length, 60}), y({3, length, 60});
      x.fill(0.2F);
      Session(model).run({.query = x.view(), .key = x.view(), .value = x.view(), .causal = true}, {.output = y.view()});
      CHECK(std::isfinite(y.at(0, 59)));
    }
  }
}
