// What a call must give, from the definitions, in float64.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "call.hpp"
#include "float64_heads.hpp"
#include "number.hpp"

namespace differential {

// Everything that attention computes, [B][H][Lq][…]; Lk counts the extra keys.
struct Attended {
  Numbers weights, scores, log_sum_exp, context;
  Grid<char> live;
};

struct Expected {
  Attended attended;
  std::map<std::string, std::vector<Number>> outputs;  // by name, row-major; without top_weights and top_keys
};

// Appends to the cache what the call appends. `cache` is nullptr when there is none.
Expected evaluate(const Layer& layer, const Call& call, Float64Cache* cache, const Precision& precision);

// float64_operands.cpp
struct Operands {
  Numbers query, key, value;
};
Operands make_operands(const Layer& layer, const Call& call, Float64Cache* cache, const Precision& precision);
void apply(const CacheAction& action, const Layer& layer, Float64Cache& cache, const Precision& precision);

// float64_head.cpp
Attended attend(const Layer& layer, const Call& call, const Operands& operands, const Precision& precision);
// True when a head of a sequence takes part; its gate.
bool takes_part(const Call& call, std::int64_t b, std::int64_t head);
double gate_of(const Call& call, std::int64_t b, std::int64_t head);

}  // namespace differential
