// The fields of a record in a file, once, for writing and reading.
#pragma once

#include "bench_record.hpp"

namespace headwise::tools {

inline constexpr auto bench_format_name = "headwise bench";
inline constexpr int bench_format_version = 1;

// What a number in the file is, times `unit`, in the record.
struct Scaled {
  double unit;
};

template <class Record, class Field>
void each_field(Record& r, Field&& field) {
  field("part", r.what.part, part_names());
  field("ask", r.what.ask, ask_names());
  field("shape", r.what.shape);
  field("dtype", r.what.dtype, bench_dtype_names());
  field("isa", r.what.isa);
  field("threads", r.what.threads);
  field("layer", r.what.layer);
  field("kernel", r.kernel);
  field("schedule", r.schedule);
  field("plan_threads", r.plan_threads);
  field("flops", r.flops, Scaled{1});
  field("bytes", r.bytes, Scaled{1});
  field("median_ms", r.median, Scaled{1e3});
  field("p10_ms", r.p10, Scaled{1e3});
  field("p90_ms", r.p90, Scaled{1e3});
  field("p99_ms", r.p99, Scaled{1e3});
  field("min_ms", r.min, Scaled{1e3});
  field("calls", r.calls);
  field("round_medians_ms", r.round_medians, Scaled{1e3});
  field("round_peaks_gflops", r.round_peaks, Scaled{1e-9});
  field("rounds", r.effort.rounds);
  field("min_time", r.effort.min_time, Scaled{1});
  field("warmup", r.effort.warmup);
  field("commit", r.commit);
  field("version", r.version);
  field("onednn_version", r.onednn);
  field("compiler", r.compiler);
  field("build_type", r.build_type);
  field("cpu", r.cpu);
  field("date", r.date);
  field("repeat", r.repeat);
}

}  // namespace headwise::tools
