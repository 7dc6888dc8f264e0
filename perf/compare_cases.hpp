// The cases of perf/compare.py as headwise runs them.
#pragma once

#include <headwise/headwise.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

struct CompareRequest {
  std::string folder;   // of the .npy files, named as perf/compare/data.py names them
  std::string encoder;  // the model's folder, for the kind "encoder"
  std::string kind;     // "layer", "core", "lengths", "load", "encoder"
  std::string variant;
  std::string isa;
  std::int64_t heads = 0;
  int threads = 1;
};

// A case that is ready to run again and again on the calling thread and its team.
class CompareCase {
 public:
  virtual ~CompareCase() = default;
  virtual void run() = 0;
  // The first `length` tokens of the input; for the kind "lengths".
  virtual void run_length(std::int64_t length);
  // What the time of run is held against where it is no peer; for the kind "load".
  virtual bool has_baseline() const { return false; }
  virtual void run_baseline() {}
  // Writes what the last run gave as NAME.npy into the folder and returns the names.
  virtual std::vector<std::string> save(const std::string& folder) const = 0;
  virtual std::string configuration() const = 0;
};

// Throws headwise::Error for files that are missing or do not fit.
std::unique_ptr<CompareCase> make_compare_case(const CompareRequest& request);
// Where the kind is "encoder".
std::unique_ptr<CompareCase> make_encoder_case(const CompareRequest& request);
