#!/usr/bin/env bash
# Asks the readers that define the file formats for their verdicts on the crafted files, which the tests compare with.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
work="$(cd "$here/../.." && pwd)/build/verdicts"
python="$work/venv/bin/python"
suite=verdicts # in what say and fail print
stored="$here/reference.tsv"
write=0

usage() {
  cat <<END
Usage: tests/verdicts/run.sh [--write] [--help]

1. installs the packages of requirements.txt into build/verdicts/venv, unless they are there already
2. makes the crafted files in build/verdicts/files
3. judges them with the reference readers and fails when tests/verdicts/reference.tsv says something else

  --write   write reference.tsv anew instead of comparing with it
END
}

# shellcheck source=tests/support/python_packages.sh
source "$here/../support/python_packages.sh"

judge_files() {
  rm -rf "$work/files" && mkdir -p "$work/files"
  "$python" -B "$here/make_files.py" "$work/files"
  echo "# What the packages of requirements.txt say of the crafted files; written by run.sh --write."
  "$python" -B "$here/reference.py" "$work/files"
}

main() {
  local argument
  for argument in "$@"; do
    case "$argument" in
      --write) write=1 ;;
      --help) usage && exit 0 ;;
      *) usage >&2 && exit 2 ;;
    esac
  done
  prepare_packages "$here/requirements.txt" "$work/venv"
  judge_files >"$work/reference.tsv"
  if ((write == 1)); then
    cp "$work/reference.tsv" "$stored"
    say "wrote $stored"
  else
    diff "$stored" "$work/reference.tsv" || fail "the verdicts have changed; look at them, then use --write"
  fi
  say "$(grep -vc '^#' "$stored") files, $(grep -c 'accepts' "$stored") accepted by the reference readers"
}

main "$@"
