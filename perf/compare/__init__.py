"""headwise beside other engines: the same data, checked results, alternating rounds. See perf/README.md."""
