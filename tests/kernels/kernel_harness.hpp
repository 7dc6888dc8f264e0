// Runs one head through a kernel table, in guarded memory, and holds it against the oracle.
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "attend.hpp"
#include "guarded.hpp"
#include "oracle.hpp"
#include "random.hpp"

// Tables of this build that the CPU can run; says aloud which are skipped.
std::vector<const headwise::kernels::KernelTable*> runnable_tables();

struct HeadCase {
  std::int64_t queries = 1, keys = 1, head_dim = 1, value_dim = 1;
  std::int64_t padding = 0;  // floats between rows beyond the row itself
  bool at_end = true;        // which guard page the operands touch
  float scale = 1;
  headwise::kernels::EmptyRow empty_row = headwise::kernels::EmptyRow::zero;
  headwise::kernels::MaskForm mask{};

  HeadCase(std::int64_t lq, std::int64_t lk, std::int64_t d, std::int64_t dv);
};

// Operands and results of one head.
struct HeadData {
  HeadCase shape;
  GuardedFloats query, key, value, output, weights;

  explicit HeadData(const HeadCase& c);
  float& q(std::int64_t i, std::int64_t c) { return query[i * (shape.head_dim + shape.padding) + c]; }
  float& k(std::int64_t j, std::int64_t c) { return key[j * (shape.head_dim + shape.padding) + c]; }
  float& v(std::int64_t j, std::int64_t c) { return value[j * (shape.value_dim + shape.padding) + c]; }
  float& o(std::int64_t i, std::int64_t c) { return output[i * (shape.value_dim + shape.padding) + c]; }
  float& w(std::int64_t i, std::int64_t j) { return weights[i * shape.keys + j]; }
  void fill(Random& random, float size);
};

void run(const headwise::kernels::KernelTable& table, HeadData& data, bool with_weights);
OracleResult expected(HeadData& data);
// Output within 8 units an element, weights within 8 eps (semantics page). The errors are added to `total`, whose RMS
// the caller holds to 1 unit: a single small case is no sample for that.
void check_against_oracle(const headwise::kernels::KernelTable& table, HeadData& data, UnitError& total);
