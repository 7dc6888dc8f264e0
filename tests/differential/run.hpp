// Runs a case on one ISA and holds what comes back against float64 and against itself.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "elements.hpp"
#include "float64_call.hpp"

namespace differential {

// Bytes of an output's elements, row-major.
struct Result {
  DType dtype = DType::f32;
  Dims shape;
  std::vector<char> bytes;
  double at(std::size_t i) const;
  std::size_t size() const { return bytes.size() / headwise::dtype_size(dtype); }
};

struct Results {
  std::map<std::string, Result> outputs;
  std::string error;  // of a call that was refused
  bool refused = false;
  bool in_place = true;  // nothing beside the elements was written
};

headwise::MultiHeadAttention make_model(const Layer& layer, const std::string& isa);
void apply(const CacheAction& action, headwise::Session& session, headwise::KvCache& cache);

enum class Ask { output_only, everything };
// Runs a call and takes its results out of its memory.
Results run_call(headwise::Session& session, const Call& call, headwise::KvCache* cache, Ask ask);

// Largest share of its bound that any element of an output has used.
using Shares = std::map<std::string, double>;

// Empty when all is right, otherwise what is wrong first.
std::string compare(const Call& call, const Expected& expected, const Results& actual, const Precision& precision,
                    Shares& shares);
std::string compare_top(const Call& call, const Attended& expected, const Results& actual, const Precision& precision);
std::string compare_bits(const Results& expected, const Results& actual);

Precision precision_of(const Call& call);
// What float64 says about every call of a case.
std::vector<Expected> evaluate(const Case& one);
// All calls of a case on an ISA; `refusals` counts the calls that were refused as they must be.
std::string run_case(const Case& one, const std::vector<Expected>& expected, const std::string& isa, Shares& shares,
                     std::int64_t& refusals);

}  // namespace differential
