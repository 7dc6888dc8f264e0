#!/usr/bin/env bash
# Fuzzes the readers of files with libFuzzer, clang 14 and the sanitizers.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
root="$(cd "$here/../.." && pwd)"
work="$root/build/fuzz/work"
seconds=60
write=0
targets=()

usage() {
  cat <<END
Usage: tests/fuzz/run.sh [--seconds N] [--write] [--help] [TARGET...]

1. builds the fuzz preset
2. runs each target (default: all of tests/fuzz/*_target.cpp) for N seconds (default 60), as many at a time as there are
   CPUs, from the inputs that the tests replay and what earlier runs found in build/fuzz/work
3. prints "TARGET: N executions, N inputs, N finds" for each and exits with 1 when there is a find; the finds stay in
   build/fuzz/work/TARGET/finds, and "build/fuzz/tests/fuzz/fuzz_TARGET FIND" repeats one

  --write   put the smallest set of inputs that reaches the same code into tests/fuzz/corpus, where the tests replay it
END
}

say() { echo "fuzz: $*" >&2; }

read_arguments() {
  while (($# > 0)); do
    case "$1" in
      --seconds) seconds="${2:?--seconds needs a number}" && shift ;;
      --write) write=1 ;;
      --help) usage && exit 0 ;;
      -*) usage >&2 && exit 2 ;;
      *) targets+=("$1") ;;
    esac
    shift
  done
  local source
  if ((${#targets[@]} == 0)); then
    for source in "$here"/*_target.cpp; do targets+=("$(basename "$source" _target.cpp)"); done
  fi
}

# Files in memory are written several times as fast.
temporary_folder() { if [[ -w /dev/shm ]]; then echo /dev/shm; else echo "${TMPDIR:-/tmp}"; fi; }

# An input that takes a minute hangs; one that takes ten seconds may be one of a machine that others keep busy.
fuzz() {
  local target="$1" folder="$work/$1" status=0
  mkdir -p "$folder/inputs" "$folder/finds"
  python3 -B "$here/corpus.py" unpack "$target" "$folder/inputs"
  TMPDIR="$(temporary_folder)" "$root/build/fuzz/tests/fuzz/fuzz_$target" "$folder/inputs" \
    -max_total_time="$seconds" -artifact_prefix="$folder/finds/" -rss_limit_mb=1024 -malloc_limit_mb=256 \
    -timeout=60 -report_slow_units=60 -max_len=20000 -print_final_stats=1 -verbosity=0 >"$folder/log" 2>&1 || status=$?
  local executions inputs finds
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$folder/log")
  inputs=$(find "$folder/inputs" -type f | wc -l)
  finds=$(find "$folder/finds" -type f | wc -l)
  echo "$target: ${executions:-no} executions, $inputs inputs, $finds finds"
  if ((status != 0 || finds > 0)); then
    tail -n 40 "$folder/log" >&2
    return 1
  fi
}

keep_inputs() {
  local target="$1" folder="$work/$1"
  rm -rf "$folder/merged" && mkdir -p "$folder/merged"
  # What is replayed anyway comes first, so that only new code counts.
  python3 -B "$here/corpus.py" unpack "$target" "$folder/merged"
  TMPDIR="$(temporary_folder)" "$root/build/fuzz/tests/fuzz/fuzz_$target" -merge=1 -verbosity=0 "$folder/merged" \
    "$folder/inputs" >"$folder/merge_log" 2>&1
  python3 -B "$here/corpus.py" pack "$target" "$folder/merged"
}

fuzz_all() {
  local target running=0 failed=0
  for target in "${targets[@]}"; do
    if ((running == $(nproc))); then
      wait -n || failed=1
      running=$((running - 1))
    fi
    fuzz "$target" &
    running=$((running + 1))
  done
  for (( ; running > 0; --running)); do wait -n || failed=1; done
  return "$failed"
}

main() {
  read_arguments "$@"
  cd "$root"
  cmake --preset fuzz -Wno-dev --log-level=WARNING >&2
  cmake --build --preset fuzz >&2
  local target failed=0
  fuzz_all || failed=1
  if ((write == 1)); then
    for target in "${targets[@]}"; do keep_inputs "$target"; done
  fi
  return "$failed"
}

main "$@"
