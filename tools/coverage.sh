#!/usr/bin/env bash
# Prints the line coverage of each room by its tests; fails where files of strangers come in and it is below the limit.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
build="$root/build/coverage"
limit=95
# Loaders and API. A room is listed below however it does.
strict=(engine/weights engine/tokenizer engine/encoder engine/capi include/headwise)
# The tests of the rooms, in order of the rooms; the suites of differential and perf repeat what these reach.
tests='^(tensor|threads.*|positions|cache|weights|tokenizer|projection|kernels|runtime|encoder|limits|capi.*|hostile|faults|verdicts|fuzz_.*)$'
targets=()

usage() {
  cat <<END
Usage: tools/coverage.sh [--loader-only] [--help]

1. builds the coverage preset
2. runs the tests of the rooms
3. prints the line coverage of each room and of the public headers, and the lines that no test reaches in ${strict[*]}
4. exits with 1 when one of these is below $limit %

  --loader-only   build and run only what reaches engine/weights and engine/tokenizer: some minutes instead of half an hour
END
}

read_arguments() {
  local argument
  for argument in "$@"; do
    case "$argument" in
      --loader-only)
        strict=(engine/weights engine/tokenizer)
        tests='^(weights|tokenizer|hostile|faults|verdicts|fuzz_.*)$'
        targets=(test_weights test_tokenizer test_hostile test_faults judge_files
          fuzz_safetensors fuzz_npy fuzz_npz fuzz_config fuzz_index fuzz_map fuzz_encoder fuzz_tokenizer fuzz_text
          fuzz_sentence)
        ;;
      --help) usage && exit 0 ;;
      *) usage >&2 && exit 2 ;;
    esac
  done
}

build_and_run() {
  cmake --preset coverage -Wno-dev --log-level=WARNING
  if ((${#targets[@]} > 0)); then
    cmake --build --preset coverage --target "${targets[@]}"
  else
    cmake --build --preset coverage
  fi
  find "$build" -name '*.gcda' -delete
  ctest --test-dir "$build" --tests-regex "$tests" --no-tests=error --output-on-failure
}

main() {
  read_arguments "$@"
  cd "$root"
  command -v gcovr >/dev/null || { echo "coverage: gcovr is missing, see tools/install_packages.sh" >&2 && exit 1; }
  build_and_run
  # Threads that take one branch at once may leave it a count below zero, which gcovr takes for an error. Lines stay right.
  gcovr --gcov-ignore-parse-errors --root "$root" --object-directory "$build" \
    --filter "$root/engine/" --filter "$root/include/" --json "$build/coverage.json" "$build"
  tools/coverage_rooms.py "$build/coverage.json" "$limit" "${strict[@]}"
}

main "$@"
