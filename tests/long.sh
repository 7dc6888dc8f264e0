#!/usr/bin/env bash
# The tests that take minutes. Ends with a summary: the machine, then for each step its verdict and its figures.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
build="$root/build/release"
name="" # of the step that runs
logs="$root/build/long"
summary="$logs/summary.txt"

# In the order in which they run. A step NAME is a function step_NAME: what it prints goes to its log, what it hands to
# `figure` goes into the summary, and it fails when it returns anything but 0.
steps=(soak growth emulated fuzz coverage races)

usage() {
  cat <<END
Usage: tests/long.sh [STEP…] [--help]

Runs the steps named, or all of them:
  soak      5 minutes of random calls by 8 sessions: memory, threads and results stay what they are
  growth    every length from 1 to 2,000, twice, on one thread and on four, then 200 models: memory stays bounded
  emulated  all tests of kernels, products, runtime and texts as older CPUs, and the kernels on aarch64, under QEMU
  fuzz      5 minutes of libFuzzer for each reader of files (clang 14)
  coverage  line coverage of each room, at least 95 % for loaders and API
  races     many sessions on one layer, encoder or tokenizer under the thread sanitizer (clang, LLVM's OpenMP); builds the
            library for it

Prints a summary at the end and leaves it in build/long/summary.txt, beside a log for each step.
Exits with 1 when a step failed.
END
}

say() { echo "long: $*" >&2; }
# Threads of many teams that spin for each other would leave little of two CPUs.
patiently() { OMP_WAIT_POLICY=passive "$@"; }
# Copies lines of its input into the summary.
figure() { cat >>"$logs/$name.figures"; }

# Configures and builds targets of the release preset.
build_release() {
  cd "$root"
  cmake --preset release -Wno-dev --log-level=WARNING
  cmake --build --preset release --target "$@"
}

step_soak() {
  build_release soak
  patiently "$build/tests/soak/soak" --seconds=300 | tee "$logs/soak.out"
  figure <"$logs/soak.out"
}

step_growth() {
  build_release growth
  patiently "$build/tests/soak/growth" | tee "$logs/growth.out"
  figure <"$logs/growth.out"
}

step_emulated() {
  build_release headwise_tool test_kernels test_projection test_runtime test_encoder test_tokenizer
  "$root/tests/emulated.sh" full 2>&1 | tee "$logs/emulated.out"
  sed -n 's/^emulated: //p' "$logs/emulated.out" | figure
}

step_fuzz() {
  local status=0
  "$root/tests/fuzz/run.sh" --seconds 300 | tee "$logs/fuzz.out" || status=$?
  figure <"$logs/fuzz.out"
  return "$status"
}

step_coverage() {
  local status=0
  "$root/tools/coverage.sh" >"$logs/coverage.out" || status=$?
  grep -E '^(engine|include)/' "$logs/coverage.out" | figure
  return "$status"
}

step_races() {
  cd "$root"
  cmake --preset tsan -Wno-dev --log-level=WARNING
  cmake --build --preset tsan
  ctest --preset tsan --output-on-failure | tee "$logs/races.out"
  grep "tests passed" "$logs/races.out" | figure
}

machine() {
  printf '%s, %s CPUs, %s' "$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -1)" "$(nproc)" "$(uname -sr)"
}

# A step runs in a process of its own that stops at the first failure: a shell that bash has forked from within a condition
# would go on, whatever it sets.
run_step() {
  local began=$SECONDS verdict=passed
  name="$1"
  say "$name …"
  : >"$logs/$name.figures"
  bash "${BASH_SOURCE[0]}" --only "$name" >"$logs/$name.log" 2>&1 || verdict=FAILED
  say "$name: $verdict (build/long/$name.log)"
  echo "$name: $verdict in $((SECONDS - began)) s" >>"$summary"
  sed 's/^/    /' "$logs/$name.figures" >>"$summary"
  [[ "$verdict" == passed ]]
}

main() {
  local argument step failures=0 wanted=()
  if [[ "${1-}" == --only ]]; then # as run_step calls it
    name="$2"
    "step_$name"
    exit 0
  fi
  for argument in "$@"; do
    case "$argument" in
      --help) usage && exit 0 ;;
      -*) usage >&2 && exit 2 ;;
    esac
    if [[ " ${steps[*]} " != *" $argument "* ]]; then
      say "there is no step $argument; the steps are: ${steps[*]}"
      exit 2
    fi
    wanted+=("$argument")
  done
  mkdir -p "$logs"
  echo "$(date -u +%Y-%m-%d), $(git -C "$root" describe --always --dirty), $(machine)" >"$summary"
  ((${#wanted[@]} > 0)) || wanted=("${steps[@]}")
  for step in "${wanted[@]}"; do
    run_step "$step" || failures=$((failures + 1))
  done
  cat "$summary"
  ((failures == 0))
}

main "$@"
