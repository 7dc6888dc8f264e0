#!/usr/bin/env bash
# Installs what is missing, checks the format, builds, and runs all tests, then once more under the sanitizers.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
model="$root/build/models/all-MiniLM-L6-v2/model.safetensors"
release_only=0

usage() {
  cat <<END
Usage: tools/test.sh [--release-only] [--help]

1. installs the Debian packages that are missing (as root, or through sudo)
2. checks the format of all sources (clang-format 14) and the scripts (shellcheck, where it is there)
3. fetches the weights of all-MiniLM-L6-v2 into build/models for the tests on a real file
4. builds the release preset and runs its tests
5. runs some of them as older CPUs would, under QEMU
6. runs the suites of ONNX and torch on it (the first time this installs onnx and torch into build/conformance), and
   asks the readers that define the file formats for their verdicts on crafted files (in build/verdicts)
7. builds the asan preset (address and undefined-behaviour sanitizers) and runs the same tests

  --release-only   leave out step 7
END
}

step() { printf '\n== %s\n' "$*"; }

check_format() {
  local sources
  mapfile -t sources < <(find include engine tools perf tests -name '*.hpp' -o -name '*.cpp' -o -name '*.h' -o -name '*.js' | sort)
  if command -v clang-format-14 >/dev/null; then
    clang-format-14 --dry-run -Werror "${sources[@]}"
  else
    echo "NOTE: there is no clang-format-14, so THE FORMAT IS NOT CHECKED"
  fi
  if command -v shellcheck >/dev/null; then
    shellcheck --external-sources tools/*.sh tests/*.sh tests/*/*.sh .ci/run
  fi
}

fetch_model() {
  tools/fetch_model.sh >/dev/null
  if [[ ! -f "$model" ]]; then
    echo "NOTE: the real model is not there, so THE TESTS ON THE REAL FILE DO NOT RUN"
    export HEADWISE_ALLOW_MISSING_MODEL=1
  fi
}

build_and_test() {
  cmake --preset "$1" -Wno-dev --log-level=WARNING
  cmake --build --preset "$1"
  ctest --preset "$1"
}

main() {
  local argument
  for argument in "$@"; do
    case "$argument" in
      --release-only) release_only=1 ;;
      --help) usage && exit 0 ;;
      *) usage >&2 && exit 2 ;;
    esac
  done
  cd "$root"
  step "Packages"
  tools/install_packages.sh
  step "Format"
  check_format
  step "Model"
  fetch_model
  step "Release build and tests"
  build_and_test release
  step "Older CPUs, emulated"
  tests/emulated.sh
  step "Suites of other projects"
  tests/conformance/run.sh
  step "Texts: tokens and embeddings"
  tests/conformance/texts.sh
  step "Verdicts of the reference readers"
  tests/verdicts/run.sh
  if ((release_only == 0)); then
    step "Sanitizer build and tests"
    build_and_test asan
  fi
}

main "$@"
