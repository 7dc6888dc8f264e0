#!/usr/bin/env bash
# Holds headwise against the suites that the ONNX and torch projects wrote for their own attention, and its encoder
# against torch on a real model.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
build="$(cd "$here/../.." && pwd)/build"
work="$build/conformance"
python="$work/venv/bin/python"
suite=conformance # in what say and fail print
runner="$build/release/tests/conformance/run_cases"
model="$build/models/all-MiniLM-L6-v2"

usage() {
  cat <<END
Usage: tests/conformance/run.sh [RUNNER] [--help]

1. installs the packages of requirements.txt into build/conformance/venv, unless they are there already
2. exports the cases of all suites into build/conformance/cases
3. runs RUNNER on them (default: build/release/tests/conformance/run_cases)
4. prints "SUITE: N passed, N failed" for each suite and every failure; exits with 1 when there is one
5. runs run_encoder, which lies beside RUNNER, on the model that tools/fetch_model.sh fetches, and prints its errors and
   those of torch against float64; exits with 1 when one of them is larger than torch's
END
}

# shellcheck source=tests/support/python_packages.sh
source "$here/../support/python_packages.sh"

export_cases() {
  rm -rf "$work/cases" "$work/expected" "$work/results"
  mkdir -p "$work/cases" "$work/expected" "$work/results"
  say "exporting the cases of ONNX"
  "$python" "$here/export_onnx.py" "$work"
  say "exporting the cases of torch"
  "$python" "$here/export_torch.py" "$work"
}

hold_encoder() {
  if [[ ! -f "$model/model.safetensors" || ! -f "$model/config.json" ]]; then
    say "NOTE: the real model is not there, so THE ENCODER IS NOT HELD AGAINST TORCH"
    return
  fi
  rm -rf "$work/encoder"
  say "running the encoder on $(basename "$model")"
  "$python" "$here/encoder.py" "$(dirname "$runner")/run_encoder" "$model" "$work/encoder"
}

main() {
  local argument
  for argument in "$@"; do
    case "$argument" in
      --help) usage && exit 0 ;;
      -*) usage >&2 && exit 2 ;;
      *) runner="$argument" ;;
    esac
  done
  [[ -x "$runner" ]] || fail "no runner at $runner; build it with: cmake --build --preset release --target run_cases run_encoder"
  prepare_packages "$here/requirements.txt" "$work/venv"
  export_cases
  say "running the cases"
  "$runner" "$work/cases" "$work/results" || say "the runner stopped before its end"
  "$python" "$here/compare.py" "$work"
  hold_encoder
}

main "$@"
