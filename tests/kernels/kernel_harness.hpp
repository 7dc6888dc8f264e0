// Runs one head through a kernel table, in guarded memory, and holds it against the oracle.
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "attend.hpp"
#include "guarded.hpp"
#include "head_oracle.hpp"
#include "oracle.hpp"
#include "random.hpp"

// Tables of this build that the CPU can run; says aloud which are skipped.
std::vector<const headwise::kernels::KernelTable*> runnable_tables();

struct HeadCase {
  std::int64_t queries = 1, keys = 1, head_dim = 1, value_dim = 1;
  std::int64_t padding = 0;  // floats between rows beyond the row itself
  bool at_end = true;        // which guard page the operands touch
  headwise::kernels::EmptyRow empty_row = headwise::kernels::EmptyRow::zero;
  headwise::kernels::MaskForm mask{};
  headwise::kernels::ScoreForm score{};
  headwise::kernels::Element element = headwise::kernels::Element::f32;  // of keys and values
  std::int64_t split = INT64_MAX;                                        // rows from here on stand elsewhere
  std::int64_t extra = 0;
  float gate = 1;
  bool scanned = false;  // the planes of every task come with their classes

  HeadCase(std::int64_t lq, std::int64_t lk, std::int64_t d, std::int64_t dv);
  std::int64_t columns() const { return keys + extra; }
};

// Operands and results of one head. Keys and values are floats here; the kernels get them as the case says.
struct HeadData {
  HeadCase shape;
  GuardedFloats query, key, value, output, weights, extra_key, extra_value;
  std::vector<double> log_sum_exp;

  explicit HeadData(const HeadCase& c);
  float& q(std::int64_t i, std::int64_t c) { return query[i * (shape.head_dim + shape.padding) + c]; }
  float& k(std::int64_t j, std::int64_t c) { return key[j * (shape.head_dim + shape.padding) + c]; }
  float& v(std::int64_t j, std::int64_t c) { return value[j * (shape.value_dim + shape.padding) + c]; }
  float& o(std::int64_t i, std::int64_t c) { return output[i * (shape.value_dim + shape.padding) + c]; }
  float& w(std::int64_t i, std::int64_t j) { return weights[i * shape.columns() + j]; }
  // The same with the extra keys behind the others.
  float all_keys(std::int64_t j, std::int64_t c) {
    return j < shape.keys ? k(j, c) : extra_key[(j - shape.keys) * shape.head_dim + c];
  }
  float all_values(std::int64_t j, std::int64_t c) {
    return j < shape.keys ? v(j, c) : extra_value[(j - shape.keys) * shape.value_dim + c];
  }
  void fill(Random& random, float size);
};

headwise::kernels::MaskPlane byte_plane(const std::uint8_t* data, std::int64_t query_stride, std::int64_t key_stride,
                                        headwise::kernels::MaskKind kind);
headwise::kernels::MaskPlane float_plane(const float* data, std::int64_t query_stride, std::int64_t key_stride);

enum class Way { whole, sliced };  // attend; attend_slice and merge

void run(const headwise::kernels::KernelTable& table, HeadData& data, bool with_weights, Way way = Way::whole);
// Tables times ways: the reference has no slices.
struct Runner {
  const headwise::kernels::KernelTable* table;
  Way way;
  std::string name() const { return std::string(table->isa) + (way == Way::sliced ? " sliced" : ""); }
  void operator()(HeadData& data, bool with_weights) const { run(*table, data, with_weights, way); }
};
std::vector<Runner> runners();

void run_score(const headwise::kernels::KernelTable& table, HeadData& data, headwise::kernels::ScoreStage stage);
// Classes of all planes for the whole case, block of queries by block.
void run_scan(const headwise::kernels::KernelTable& table, HeadData& data, int plane,
              std::vector<headwise::kernels::ChunkClass>& classes);

double score_of(HeadData& data, std::int64_t i, std::int64_t j, headwise::kernels::ScoreStage stage);
HeadTruth expected(HeadData& data);
// Output within 8 units an element, weights within 8 eps (semantics page), log-sum-exp within 8 eps of what it adds up.
// The errors are added to `total`, whose RMS the caller holds to 1 unit: a single small case is no sample for that.
void check_against_oracle(const Runner& runner, HeadData& data, UnitError& total);
