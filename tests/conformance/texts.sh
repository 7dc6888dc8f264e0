#!/usr/bin/env bash
# Holds headwise's tokenizer against Hugging Face's tokenizers, embeddings of texts against torch, and the weights
# of heads in BertViz against those of --export.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
build="$(cd "$here/../.." && pwd)/build"
work="$build/conformance"
python="$work/venv/bin/python"
suite=conformance # in what say and fail print
runner="$build/release/tests/conformance/run_tokens"
command="$build/release/headwise"
model="$build/models/all-MiniLM-L6-v2"

usage() {
  cat <<END
Usage: tests/conformance/texts.sh [--help]

1. installs the packages of requirements.txt into build/conformance/venv, unless they are there already
2. encodes 12,000 lines in many scripts, alone and in pairs, with several tokenizers, and compares ids, types, bytes and words
3. compares what becomes of every code point
4. shows what --bertviz writes in BertViz, with the lines of README.md, and compares its weights with those of --export
5. compares embeddings of the real model with torch in float64

Needs the release build, and the real model for the last part. Exits with 1 when anything differs.
END
}

# shellcheck source=tests/support/python_packages.sh
source "$here/../support/python_packages.sh"

main() {
  case "${1-}" in
    "") ;;
    --help) usage && exit 0 ;;
    *) usage >&2 && exit 2 ;;
  esac
  [[ -x "$runner" ]] || fail "no runner at $runner; build it with: cmake --build --preset release"
  prepare_packages "$here/requirements.txt" "$work/venv"
  local status=0 real=()
  if [[ -f "$model/tokenizer.json" ]]; then real=("$model"); fi
  say "comparing tokens"
  "$python" "$here/compare_tokens.py" "$runner" "$work/tokens" "${real[@]}" || status=1
  say "comparing all code points"
  "$python" "$here/unicode_points.py" "$runner" "$work/points" || status=1
  say "showing weights in BertViz"
  "$python" "$here/bertviz_views.py" "$command" "$work/bertviz" "$here/../data/encoders/words" "${real[@]}" || status=1
  if ((${#real[@]} == 0)); then
    echo "NOTE: the real model is not there, so ITS TOKENS AND EMBEDDINGS ARE NOT COMPARED"
  else
    say "comparing embeddings"
    "$python" "$here/embeddings.py" "$command" "$model" "$work/embeddings" || status=1
  fi
  exit "$status"
}

main "$@"
